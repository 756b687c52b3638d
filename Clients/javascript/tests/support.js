import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";

/** The nfcd to test with. */
export const program = process.env.NFCD ?? new URL("../../../.build/debug/nfcd", import.meta.url).pathname;

/** An nfcd with simulated readers, which can be stopped and started again. */
export class Daemon {
  constructor({ readers = 1, journal = false, model = "generic" } = {}) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfcd-js-"));
    this.socket = path.join(this.folder, "nfcd.sock");
    const configuration = path.join(this.folder, "nfcd.toml");
    fs.writeFileSync(configuration, journal ? `[journal]\nenabled = true\npath = "${this.folder}/taps.db"\n` : "");
    this.arguments = ["--user", "--config", configuration, "--socket", this.socket, "--simulator", String(readers), "--simulator-model", model];
  }

  async start() {
    this.process = spawn(program, this.arguments, { stdio: ["ignore", "ignore", "pipe"] });
    this.exited = new Promise((resolve) => this.process.once("exit", resolve));
    for await (const line of readline.createInterface({ input: this.process.stderr })) {
      if (line.includes("listening on")) break;
    }
    this.process.stderr.resume();
    return this;
  }

  async stop() {
    this.process.kill("SIGTERM");
    await this.exited;
  }

  async close() {
    await this.stop();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A socket whose other side a test provides. */
export async function fakeDaemon(handle) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfcd-js-"));
  const socket = path.join(folder, "nfcd.sock");
  const connections = [];
  const server = net.createServer((connection) => {
    connections.push(connection);
    connection.on("error", () => {});
    handle(connection);
  });
  await new Promise((resolve) => server.listen(socket, resolve));
  const close = () => {
    for (const connection of connections) connection.destroy();
    server.close();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  return { socket, close };
}
