import assert from "node:assert/strict";
import { totpCode } from "../../../local/auth/totp.ts";
import { readProfiles } from "../../../cli/outbound/profiles.ts";
import { type Clients, withClients } from "../../sdk/with_clients.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { runOutbound } from "./run_outbound.ts";

/** Gives the owner a second factor. Returns its secret. */
async function enroll({ http, owner, logIn, keepSecret }: Clients): Promise<string> {
  const headers = { authorization: `Bearer ${await logIn(owner)}` };
  const { body: { factor_id, secret } } = await http.post("/auth/factors", { name: "Phone" }, { headers });
  const code = totpCode(secret, Date.now());
  const { status, body } = await http.post(`/auth/factors/${factor_id}/verify`, { code }, { headers });
  assert.equal(status, 200, JSON.stringify(body));
  keepSecret(secret, body.access_token, body.refresh_token);
  return secret;
}

Deno.test("login asks for the code of a second factor, and keeps the session that it opens", () =>
  withTempFolder((folder) =>
    withClients(async (t) => {
      const { owner: { email, password }, baseUrl } = t;
      const secret = await enroll(t);
      const env = { XDG_CONFIG_HOME: folder, OUTBOUND_BASE_URL: baseUrl };
      const asked: string[] = [];
      const typed = (code: string) => ({
        ask(question: string) {
          asked.push(question);
          return { "E-mail": email, "Password": password }[question] ?? code;
        },
      });

      const wrong = await runOutbound(["login"], env, typed("000000"));
      const kept = (await readProfiles(env)).profiles;
      const right = await runOutbound(["login"], env, typed(totpCode(secret, Date.now())));
      const members = await runOutbound(["members", "list", "--json"], env);

      assert.deepEqual([wrong.code, kept], [1, {}]);
      assert.match(wrong.stderr, /\(validation_failed, field code, /);
      assert.deepEqual([right.code, right.stderr], [0, ""]);
      assert.deepEqual(asked, ["E-mail", "Password", "Code of Phone", "E-mail", "Password", "Code of Phone"]);
      assert.deepEqual(JSON.parse(members.stdout).members.map((each: { email: string }) => each.email), [
        email,
      ]);
      const text = JSON.stringify(await readProfiles(env));
      assert.ok(!text.includes(password) && !text.includes(secret));
    })
  ));
