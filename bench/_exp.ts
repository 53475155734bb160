import { openDatabaseServer } from "./setup/database_server.ts";
import { addTenant, migrate } from "./setup/world.ts";
import { v7 } from "uuid";
import postgres from "postgres";
import { hashAccessKey } from "../supabase/functions/_shared/access/new_access_key.ts";
const folder = await Deno.makeTempDir();
await Deno.chmod(folder, 0o755);
const server = await openDatabaseServer(folder, { url: undefined, report: console.error });
const url = await server.create("p");
const sql0 = await migrate(url);
const t = await addTenant(sql0);
const [{ shape }] = await sql0`select shape from outbound.templates`;
let show = false;
const sql = postgres(url, { max: 1, onnotice: (n) => show && console.log(n.message) });
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
const [b, n] = [Number(Deno.args[0]), Number(Deno.args[1])];
const go = () =>
  sql`select * from outbound.accept_notifications(${
    JSON.stringify(Array.from({ length: b }, () => req(n)))
  }::text::json)`;
for (let i = 0; i < 30; i++) await go();
await sql.unsafe(
  `load 'auto_explain'; set auto_explain.log_min_duration=0; set auto_explain.log_analyze=on; set auto_explain.log_timing=on; set auto_explain.log_nested_statements=on; set auto_explain.log_level=notice; set auto_explain.log_triggers=on; set auto_explain.log_buffers=on`,
);
show = true;
await go();
await sql.end();
await sql0.end();
await server.stop();
await Deno.remove(folder, { recursive: true });
