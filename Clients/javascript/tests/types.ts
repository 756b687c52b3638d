// Checked by the compiler, never run: the declarations are what a program needs.
import { Client, DecodedPayload, NDEFRecord, NFCError, StoredTap, Tap, WritableRecord, json, record, text, uri } from "nfcd";

export async function everything(): Promise<void> {
  const client = new Client({ socket: "/tmp/nfcd.sock", wait: true, timeout: 1000 });
  const readers: string[] = (await client.readers()).map((reader) => reader.name);
  const session = await client.readSession({ once: true, readers, whenBusy: "queue" });
  for await (const tap of session) show(tap);
  const tags = await client.tagSession({ kind: "tag" });
  const tag = await tags.next({ timeout: 1000, signal: new AbortController().signal });
  await tag.write([uri("x:1"), text("a", "de"), json({ a: 1 })], { verify: true, onProgress: (done, total) => done <= total });
  const product: string | null | undefined = (await tag.describe()).product;
  const { statusWord } = await tag.sendAPDU("00A4");
  const acknowledge: string = await tag.authenticate(new Uint8Array(4), { timeout: 1000 });
  const written: number = await tag.writeMemory([{ number: 4, bytes: new Uint8Array(4) }], { onProgress: (done, total) => done <= total });
  const { data }: { data: string } = await tag.iso7816.sendCommand("00A4", { timeout: 2, signal: new AbortController().signal });
  const block: string = await tag.miFareClassic.readBlock(4);
  const nothing: void = await tag.miFareClassic.authenticate(4, "a", "FFFFFFFFFFFF");
  const { firstPage }: { firstPage: number } = await tag.setPassword("00000000", { protects: "write" });
  await tag.writeNDEF({ records: [{ typeNameFormat: "media", type: new Uint8Array(1), payload: "00" }] });
  console.log(acknowledge, written, data, block, nothing, firstPage);
  // @ts-expect-error a word that does not exist
  await tag.configure({ mirror: "both" });
  // @ts-expect-error a parameter that is missing
  await tag.setPassword();
  // @ts-expect-error a command without progress
  await tag.describe({ onProgress: () => {} });
  try {
    await client.call("sessions.cancel", { session: session.id });
  } catch (error) {
    if (error instanceof NFCError) console.log(error.code, error.codeName, product, statusWord);
  }
  for await (const tap of client.background({ require: "proven" })) {
    if (tap.isProven && tap.proof?.status === "proven") console.log(tap.proof.profile, tap.proof.counter);
    break;
  }
  // @ts-expect-error a requirement that does not exist
  client.background({ require: "weak" });
  const journal = client.journal("a", { after: 7, require: "proven" });
  for await (const tap of journal) {
    show(tap);
    const stored: StoredTap = tap;
    await journal.acknowledge(stored);
  }
  // @ts-expect-error a method that does not exist
  await client.call("no.such.method");
  // @ts-expect-error a parameter of another type
  await client.call("sessions.cancel", { session: 7 });
}

/** The members of a decoded form follow from its kind. */
export function words({ decoded }: NDEFRecord): string | undefined {
  switch (decoded?.kind) {
    case "text":
      return decoded.language + decoded.encoding;
    case "uri":
      return decoded.tel?.dialable ?? decoded.uri;
    case "wifi":
      return decoded.credentials.map(({ ssid, macAddress }) => ssid ?? macAddress ?? "").join();
    case "smartPoster":
      // @ts-expect-error a member that does not exist
      return decoded.title;
    default:
      return decoded?.kind;
  }
}

export const kinds: DecodedPayload["kind"][] = ["text", "empty"];
export const records: WritableRecord[] = [
  record("smartPoster", { uri: "https://example.com", titles: [{ text: "Menu" }], action: "save" }),
  record("unknown", { data: new Uint8Array(2) }),
  record("inventedLater", { anything: 1 }),
  record("empty"),
  { decoded: { kind: "wifi", credentials: [{ ssid: "Home", key: "secret123", authentication: null }] } },
  // @ts-expect-error a field that the kind does not have
  record("text", { words: "a" }),
  // @ts-expect-error a field that the kind needs
  record("media", { data: "00" }),
];

function show(tap: Tap): void {
  const again: WritableRecord[] = tap.records;
  console.log(again.length);
  const uri: string | undefined = tap.uri;
  console.log(uri, tap.error?.code, tap.records[0]?.decoded?.kind);
}
