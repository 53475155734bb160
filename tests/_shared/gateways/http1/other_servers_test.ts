import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { closeServer } from "../../../setup/http/close_server.ts";
import { eventually } from "../../../setup/eventually.ts";
import { skipped } from "../../../setup/skipped.ts";
import { withTempFolder } from "../../../setup/temp_folder.ts";
import { findBinary } from "../../../setup/find_binary.ts";
import { freePort } from "../../../setup/database/postgres_cluster.ts";
import { tlsFiles } from "../tls_files.ts";
import { type Post, withConnections } from "./with_connections.ts";

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Posts from several at once, and fails unless each gets its own number back, if the server returns it. */
async function postMany(post: Post, url: string, { echoes }: { echoes: boolean }): Promise<void> {
  const outcomes = await Promise.all(Array.from({ length: 8 }, async (_, worker) => {
    const found: string[] = [];
    for (let id = worker * 100; id < worker * 100 + 25; id++) {
      const outcome = await post(url, { id, text: "ñ".repeat(id) });
      const right = outcome.kind === "responded" &&
        (!echoes || (outcome.body as { id: number }).id === id);
      if (!right) found.push(JSON.stringify(outcome));
    }
    return found;
  }));
  assert.deepEqual(outcomes.flat(), []);
}

/** Responds with a length or in chunks with trailers, closes every seventh connection, and prints its port and figures. */
const NODE_SERVER = `
const server = require("node:http").createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece)).on("end", () => {
    const text = JSON.stringify({ id: JSON.parse(Buffer.concat(pieces)).id });
    requests++;
    if (requests % 7 === 0) response.setHeader("connection", "close");
    if (requests % 2 === 0) return response.end(text);
    response.writeHead(200, { trailer: "x-digest" });
    response.write(text.slice(0, 3));
    response.addTrailers({ "x-digest": "1" });
    response.end(text.slice(3));
  });
});
let requests = 0, connections = 0;
server.on("connection", () => connections++);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.on("SIGTERM", () => { console.log(JSON.stringify({ requests, connections })); process.exit(0); });
`;

Deno.test("Node's server responds to each request once, on few connections", async () => {
  const binary = await findBinary("node");
  if (binary === undefined) return skipped("kept connections to Node", "no node found");
  const node = new Deno.Command(binary, { args: ["-e", NODE_SERVER], stdin: "null", stdout: "piped" })
    .spawn();
  const lines: string[] = [];
  const reading = (async () => {
    for await (const text of node.stdout.pipeThrough(new TextDecoderStream())) lines.push(text);
  })();
  try {
    await eventually(() => assert.ok(lines.length > 0));
    await withConnections((post) => postMany(post, `http://127.0.0.1:${Number(lines[0])}`, { echoes: true }));
  } finally {
    node.kill("SIGTERM");
    await Promise.all([node.status, reading]);
  }
  const { requests, connections } = JSON.parse(lines.at(-1)!);
  assert.equal(requests, 200);
  assert.ok(connections < 60, `${connections} connections`);
});

Deno.test("nginx responds to each request, and says when it closes a connection", async () => {
  const binary = await findBinary("nginx");
  if (binary === undefined) return skipped("kept connections to nginx", "no nginx found");
  await withTempFolder(async (folder) => {
    const port = freePort();
    const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    await Deno.writeTextFile(
      join(folder, "nginx.conf"),
      `${
        Deno.uid() === 0 ? "user root;\n" : ""
      }daemon off;\nworker_processes 1;\npid ${folder}/pid;\nevents {}\n` +
        `http {\n  access_log off;\n${
          kinds.map((kind) => `  ${kind}_temp_path ${folder}/${kind};\n`).join("")
        }` +
        `  keepalive_requests 10;\n  server {\n    listen 127.0.0.1:${port};\n` +
        `    location / { default_type application/json; return 200 '{"ok":true}'; }\n  }\n}\n`,
    );
    const nginx = new Deno.Command(binary, {
      args: ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")],
      stdin: "null",
    }).spawn();
    try {
      await eventually(async () => (await Deno.connect({ hostname: "127.0.0.1", port })).close());
      await withConnections((post) => postMany(post, `http://127.0.0.1:${port}`, { echoes: false }));
    } finally {
      nginx.kill("SIGTERM");
      await nginx.status;
    }
  });
});

Deno.test("A certificate that DENO_CERT names is trusted, as it is by fetch", async () => {
  const { cert, key } = await tlsFiles();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen() {} },
    () => Response.json({}),
  );
  const kindWith = async (env: Record<string, string>) => {
    const url = `https://events.example.test:${server.addr.port}`;
    const args = ["run", "-A", "--quiet", "--no-check", pathOf("./post_trusting.ts"), url];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args, env, stderr: "null" }).output();
    return new TextDecoder().decode(stdout).trim();
  };
  try {
    const trusting = await kindWith({ DENO_CERT: pathOf("../../../fixtures/tls/ca.pem") });
    const wary = await kindWith({});

    assert.deepEqual([trusting, wary], ["responded", "not_sent"]);
  } finally {
    await closeServer(server);
  }
});
