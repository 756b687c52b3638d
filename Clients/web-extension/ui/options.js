import { api } from "../background/api.js";

const list = document.getElementById("list");

async function show() {
  const { origins } = await api.runtime.sendMessage({ verb: "list" });
  document.getElementById("none").hidden = origins.length > 0;
  list.hidden = origins.length === 0;
  list.tBodies[0].replaceChildren(...origins.map(makeRow));
}

function makeRow({ origin, state, isForTab, isManaged }) {
  const row = document.createElement("tr");
  const words = state === "denied" ? "Blocked" : isManaged ? "Allowed by your administrator"
    : isForTab ? "Allowed while its tab is open" : "Allowed";
  for (const text of [origin, words]) row.insertCell().textContent = text;
  const cell = row.insertCell();
  if (isManaged) return row;
  const button = document.createElement("button");
  button.textContent = "Forget";
  button.addEventListener("click", async () => {
    await api.runtime.sendMessage({ verb: "forget", origin });
    await show();
  });
  cell.append(button);
  return row;
}

api.storage.onChanged.addListener(show);
await show();
