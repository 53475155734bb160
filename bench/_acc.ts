import { openDatabaseServer } from "./setup/database_server.ts";
import { addTenant, migrate } from "./setup/world.ts";
import { v7 } from "uuid";
const folder = await Deno.makeTempDir();
await Deno.chmod(folder, 0o755);
const server = await openDatabaseServer(folder, { url: undefined, report: console.error });
const url = await server.create("p");
const sql = await migrate(url);
const t = await addTenant(sql);
if (Deno.args[1]) await sql.unsafe(Deno.args[1]);
const [{ shape }] = await sql`select shape from outbound.templates`;
import { hashAccessKey } from "../supabase/functions/_shared/access/new_access_key.ts";
const req = (n: number) => ({
  key_hash: hashAccessKey(t.key.key),
  permission: "chatapp_notifications",
  ttl_s: 86400,
  campaign: {
    id: v7(),
    channel: "whatsapp",
    name: "c",
    notification_type: "utility",
    sender_id: t.sender.id,
    template_id: t.template.id,
    template_name: t.template.name,
    template_language: "en",
    template_shape: shape,
    name_event: null,
    scheduled_time: new Date(Date.now() + 1e9).toISOString(),
    rejected: 0,
  },
  notifications: Array.from(
    { length: n },
    (_, i) => ({
      id: v7(),
      number: String(34600000000 + i),
      message: [{
        type: "body",
        parameters: [{ type: "text", text: "Ana" }, { type: "text", text: "A-1001" }],
      }],
    }),
  ),
  idempotency: null,
});
const batch = async (b: number, n: number, calls: number) => {
  const bodies = Array.from({ length: calls }, () => JSON.stringify(Array.from({ length: b }, () => req(n))));
  const t0 = performance.now();
  for (const x of bodies) {
    const r = await sql`select * from outbound.accept_notifications(${x}::text::${
      sql.unsafe(Deno.args[0] ?? "jsonb")
    })`;
    if (r[0].outcome !== "accepted") throw r[0];
  }
  const ms = performance.now() - t0;
  console.log(
    `batch ${b} x ${n}: ${(ms / calls).toFixed(2)} ms/call, ${
      (1000 * ms / calls / b).toFixed(0)
    } us/request, ${(1000 * ms / calls / b / n).toFixed(1)} us/row`,
  );
};
await batch(1, 1, 20);
await batch(1, 1, 300);
await batch(16, 1, 60);
await batch(200, 1, 20);
await batch(1, 100, 30);
await batch(8, 100, 20);
await batch(8, 100, 20);
await sql.end();
await server.stop();
await Deno.remove(folder, { recursive: true });
