import assert from "node:assert/strict";
import { choosePorts } from "../../../local/stack/choose_ports.ts";
import { StackError } from "../../../local/stack/errors.ts";

Deno.test("choosePorts() keeps the distances of Supabase's local ports", () => {
  assert.deepEqual(choosePorts(54321, []), {
    api: 54321,
    database: 54322,
    sandbox: 54324,
    console: 54323,
    widget: 54325,
    auth: 54326,
    metrics: 54327,
  });
});

Deno.test("choosePorts() takes free ports for 0, each once", () => {
  const ports = Object.values(choosePorts(0, ["api", "database", "sandbox", "auth"]));

  assert.equal(new Set(ports).size, 7);
  for (const port of ports) Deno.listen({ hostname: "127.0.0.1", port }).close();
});

Deno.test("choosePorts() names the part whose port is in use, and minds only parts that listen", () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;

  assert.throws(() => choosePorts(port - 1, ["database"]), {
    name: "StackError",
    message: `Port ${port} (database) is in use: set PORT to move all parts, or 0 for free ones`,
  });
  assert.equal(choosePorts(port - 1, []).database, port);
  listener.close();
});

Deno.test("choosePorts() refuses a port without room for the others", () => {
  assert.throws(() => choosePorts(65535, ["auth"]), StackError);
});
