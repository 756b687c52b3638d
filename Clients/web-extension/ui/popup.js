import { api } from "../background/api.js";

const element = (id) => document.getElementById(id);

function words({ origin, state, isUsing, isInFront, session, isManaged }) {
  if (!origin) return "This page does not use NFC.";
  if (state === "denied") return "is blocked.";
  if (state === "prompt") return "has no permission yet.";
  if (!isUsing) return isManaged ? "is allowed by your administrator." : "is allowed.";
  if (!isInFront) return "waits until it is in front.";
  return session === "active" ? "reads tags now." : "waits for the reader: another program uses it, or there is none.";
}

async function show() {
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  const status = await api.runtime.sendMessage({ verb: "status", tab: tab?.id });
  element("origin").textContent = status.origin ?? "";
  element("state").textContent = words(status);
  element("error").hidden = !status.error;
  element("error").textContent = status.error ?? "";
  element("forget").hidden = !status.origin || status.isManaged || status.state === "prompt";
  element("forget").onclick = async () => {
    await api.runtime.sendMessage({ verb: "forget", origin: status.origin });
    await show();
  };
}

element("options").onclick = () => api.runtime.openOptionsPage();
await show();
