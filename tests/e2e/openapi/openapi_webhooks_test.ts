import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../setup/http/http.ts";
import { readDocument, withServices } from "../../setup/stack/services.ts";

const SCHEMAS = fileURLToPath(new URL("../../../supabase/schemas", import.meta.url));

/** Code that writes events, not the tables that hold them. */
const WRITES = /(perform|select) outbound\.write_event\(|insert into outbound\.outgoing_events/;

async function readTexts(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    texts.push(...isDirectory ? await readTexts(path) : [await Deno.readTextFile(path)]);
  }
  return texts;
}

/** The types of the events that the database writes. */
async function writtenTypes(): Promise<string[]> {
  const types = (await readTexts(SCHEMAS)).filter((text) => WRITES.test(text))
    .flatMap((text) => [...text.matchAll(/'([a-z]+\.[a-z_]+)'/g)].map(([, type]) => type!));
  return [...new Set(types)];
}

Deno.test("GET /openapi.json describes every event that the service writes for a webhook, and no other", () =>
  withServices(async ({ app }) => {
    const { webhooks, components }: JsonObject = await readDocument(app);

    assert.deepEqual(Object.keys(webhooks).sort(), [...await writtenTypes(), "webhook.test"].sort());
    const union = components.schemas.WebhookEvent.discriminator.mapping;
    for (const [type, { post }] of Object.entries<JsonObject>(webhooks)) {
      const { $ref } = post.requestBody.content["application/json"].schema;
      assert.equal(union[type], $ref);
      assert.deepEqual(components.schemas[$ref.split("/").at(-1)].properties.type.enum, [type]);
    }
  }));
