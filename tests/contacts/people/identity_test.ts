import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { signedText } from "../../../supabase/functions/_shared/people/visitor_identity.ts";
import { insertPublishableKey, insertWidget } from "../../setup/fixtures/widgets.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { type Manage, withManage } from "../../manage/with_manage.ts";

interface Site {
  secret: string;
  /** Opens a conversation, or goes on with the one of the token. */
  open(identity: JsonObject | undefined, token?: string): Promise<TestAnswer<JsonObject>>;
  contactOf(conversation: JsonObject): Promise<JsonObject | null>;
}

async function withSite(fn: (site: Site, t: Manage) => Promise<void>): Promise<void> {
  await withManage(async (t) => {
    const { sql, company, http, members } = t;
    const widget = await insertWidget(sql, company.id);
    const access_key = await insertPublishableKey(sql, company.id);
    const user_id = crypto.randomUUID();
    const { body } = await members.owner.ask("POST", `/companies/${company.id}/widgets/identity`);
    await fn({
      secret: body.secret,
      open: (identity, token) =>
        http.post("/widget/conversations", { user_id, ...(identity && { identity }) }, {
          query: { access_key, widget_id: widget.id },
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        }),
      async contactOf({ conversation_id }) {
        const [row] = await sql`select contact_id from outbound.conversations where id = ${conversation_id}`;
        if (row!.contact_id === null) return null;
        return (await t.read(`/contacts/${row!.contact_id}`)).body;
      },
    }, t);
  });
}

const soon = () => Math.floor(Date.now() / 1000) + 60;

function sign(secret: string, fields: JsonObject): JsonObject {
  const hash = createHmac("sha256", secret).update(signedText(fields as never)).digest("hex");
  return { ...fields, hash };
}

Deno.test("a visitor whom the website has signed is a contact, and the contacts of the signed addresses become one", () =>
  withSite(async ({ secret, open, contactOf }, t) => {
    const made = await t.act("/contacts", {
      addresses: [{ kind: "number", address: "34600111222" }],
      name: "A.",
    });
    const first = await open(undefined);
    assert.equal(await contactOf(first.body), null);
    const ana = {
      id: "c-1",
      name: "Ana Ruiz",
      email: "Ana@acme.test",
      number: "34600111222",
      expires: soon(),
    };

    const tied = await open(sign(secret, ana), first.body.visitor_token);

    assert.deepEqual([tied.status, tied.body.conversation_id], [200, first.body.conversation_id]);
    const contact = await contactOf(tied.body);
    assert.deepEqual([contact!.contact_id, contact!.name], [made.body.contact_id, "Ana Ruiz"]);
    assert.deepEqual(contact!.addresses, [
      { kind: "email", address: "ana@acme.test" },
      { kind: "number", address: "34600111222" },
      { kind: "visitor", address: "c-1" },
    ]);
    const timeline = await t.read(`/contacts/${made.body.contact_id}/timeline`);
    const [chat] = timeline.body.entries.filter(({ kind }: JsonObject) => kind === "chat");
    assert.equal(chat.chat.conversation_id, first.body.conversation_id);
    // Another person at the same browser does not read it.
    const luis = await open(sign(secret, { id: "c-2", expires: soon() }), first.body.visitor_token);
    assert.notEqual(luis.body.conversation_id, first.body.conversation_id);
    assert.equal(
      (await open(undefined, first.body.visitor_token)).body.conversation_id,
      first.body.conversation_id,
    );
  }));

Deno.test("an e-mail address alone takes over no contact of another person", () =>
  withSite(async ({ secret, open, contactOf }, t) => {
    const victim = await t.act("/contacts", {
      addresses: [{ kind: "number", address: "34600111222" }, { kind: "email", address: "ana@acme.test" }],
      name: "Ana",
    });
    const subscriber = await t.act("/contacts", {
      addresses: [{ kind: "email", address: "luis@acme.test" }],
    });

    const typed = { id: "c-9", name: "Eve", email: "ana@acme.test", expires: soon() };
    const tied = await open(sign(secret, typed));

    const contact = await contactOf(tied.body);
    assert.notEqual(contact!.contact_id, victim.body.contact_id);
    const unchanged = await t.read(`/contacts/${victim.body.contact_id}`);
    assert.deepEqual([unchanged.body.name, unchanged.body.addresses.length], ["Ana", 2]);
    const known = await open(sign(secret, { id: "c-10", email: "luis@acme.test", expires: soon() }));
    assert.equal((await contactOf(known.body))!.contact_id, subscriber.body.contact_id);
  }));

Deno.test("a signature that is wrong, has expired or is another company's ties nothing, and says so", () =>
  withSite(async ({ secret, open }, t) => {
    const fields = { id: "c-1", email: "ana@acme.test", expires: soon() };
    const good = sign(secret, fields);
    const old = sign(secret, { ...fields, expires: soon() - 120 });

    for (
      const [identity, field] of [
        [{ ...good, email: "luis@acme.test" }, "identity.hash"],
        [{ ...good, name: "Ana" }, "identity.hash"],
        [{ ...good, expires: good.expires + 1 }, "identity.hash"],
        [sign("idsec_other", fields), "identity.hash"],
        [old, "identity.expires"],
        [sign(secret, { ...fields, expires: soon() + 32 * 86_400 }), "identity.expires"],
        [{ ...good, hash: "0" }, "identity.hash"],
        [{ ...good, id: "c-1\nx" }, "identity.id"],
        [{ ...good, admin: true }, "identity.admin"],
      ] as const
    ) {
      const { status, body } = await open(identity);
      assert.deepEqual([status, body.details.field], [400, field], JSON.stringify(identity));
    }
    const { members, company } = t;
    await members.owner.ask("POST", `/companies/${company.id}/widgets/identity`);
    assert.equal((await open(good)).status, 400);
    await t.sql`delete from outbound.identity_secrets`;
    assert.equal((await open(good)).body.details.field, "identity");
    assert.equal((await t.sql`select from outbound.contacts`).length, 0);
  }));

Deno.test("only owners see the secret, and each look and rotation is in the audit", () =>
  withSite(async ({ secret }, { members, company, sql }) => {
    const path = `/companies/${company.id}/widgets/identity`;
    const shown = await members.owner.ask("GET", path);
    assert.deepEqual([shown.status, shown.body.secret], [200, secret]);
    for (const role of ["operator", "viewer"] as const) {
      assert.equal((await members[role].ask("GET", path)).status, 403);
      assert.equal((await members[role].ask("POST", path)).status, 403);
    }
    const [row] =
      await sql`select after, audit_log::text as text from outbound.audit_log where action = 'identity_secret.rotated'`;
    assert.ok(row!.after === null && !row!.text.includes(secret));
    const looks = await sql`select actor from outbound.audit_log where action = 'identity_secret.shown'`;
    assert.deepEqual(looks.map(({ actor }) => actor), [`user:${members.owner.userId}`]);
    const [stored] = await sql`select secret_sealed from outbound.identity_secrets`;
    assert.ok(!stored!.secret_sealed.includes(secret));
  }));
