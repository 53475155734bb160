import assert from "node:assert/strict";
import { nameCommand } from "../../../cli/sdk_generate/name_command.ts";
import { commandHelp, mainHelp, resourceHelp } from "../../../cli/outbound/help.ts";
import { complete } from "../../../cli/outbound/completion.ts";
import { OPERATIONS } from "../../../cli/outbound/operation.ts";
import { OWN_FLAGS } from "../../../cli/outbound/own_flags.ts";
import { OWN_COMMAND_HELP } from "../../../cli/outbound/own_help.ts";
import { readRequest } from "../../../cli/outbound/read_request.ts";

/** Operations that are no commands: of platforms and agents, of the document itself, and those of own commands. */
const NO_COMMANDS = new Set([
  "describeMcpResource",
  "useTools",
  "verifyWhatsappWebhook",
  "receiveWhatsappEvents",
  "receiveVoiceEvents",
  "runDispatcher",
  "getApiDocument",
  "getApiDocumentAsFile",
  "followCompany",
  "logIn",
  "refreshSession",
]);

interface Documented {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

const { paths } = JSON.parse(
  await Deno.readTextFile(new URL("../../../supabase/functions/openapi/document.json", import.meta.url)),
) as { paths: Record<string, Record<string, Documented>> };

const documented = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation }))
);

Deno.test("every operation of the API document is a command, but for those of platforms and of own commands", () => {
  const ids = documented.map(({ operation }) => operation.operationId).filter((id) => !NO_COMMANDS.has(id));

  assert.deepEqual(OPERATIONS.map(({ id }) => id).sort(), ids.sort());
});

Deno.test("no two commands have the same name, and none that of an own command", () => {
  const names = OPERATIONS.map(({ resource, verb }) => `${resource} ${verb}`);

  assert.equal(new Set(names).size, names.length);
  const taken = new Set([...Object.keys(OWN_COMMAND_HELP), "help", "complete"]);
  assert.deepEqual(OPERATIONS.filter(({ resource }) => taken.has(resource)), []);
});

Deno.test("no two flags of a command have the same name, and none that of an own flag or a negated one", () => {
  for (const { id, flags } of OPERATIONS) {
    const names = [...flags.map(({ name }) => name), ...Object.keys(OWN_FLAGS)];
    const negated = flags.filter(({ type }) => type === "boolean").map(({ name }) => `no-${name}`);
    assert.equal(new Set([...names, ...negated]).size, names.length + negated.length, id);
  }
});

for (const { path, method, operation } of documented) {
  const command = OPERATIONS.find(({ id }) => id === operation.operationId);
  if (command === undefined) continue;
  Deno.test(`the example of ${command.resource} ${command.verb} is the request of the document`, () => {
    const { parts } = readRequest(command, command.example);

    assert.deepEqual([command.method, command.path], [method, path]);
    assert.deepEqual(parts.body, operation.requestBody?.content["application/json"]?.example);
    const needed = (operation.parameters ?? []).filter((each) =>
      each.required && each.in !== "header" && each.name !== "access_key" &&
      !(each.name === "company_id" && path.startsWith("/manage/companies/"))
    );
    for (const { name, in: part, example } of needed) {
      const given = part === "path" ? parts.path[name] : parts.query[name];
      assert.equal(given, String(example ?? name.toUpperCase()), name);
    }
  });
}

Deno.test("the help names every command and every flag, and completion offers them", () => {
  for (const operation of OPERATIONS) {
    const { resource, verb, flags } = operation;
    assert.ok(mainHelp().includes(`  ${resource} `), resource);
    assert.ok(resourceHelp(resource, [operation]).includes(`  ${verb} `), verb);
    const help = commandHelp(operation);
    assert.ok(help.includes(`\n  outbound ${resource} ${verb}`), `${verb}: no example`);
    const offered = new Set(complete([resource, verb, "--"]));
    for (const { name, positional } of flags) {
      if (positional) continue;
      assert.ok(help.includes(`  --${name}`), name);
      assert.ok(offered.has(`--${name}`), name);
    }
  }
});

const NAMES: [operationId: string, path: string, name: string][] = [
  ["listThings", "/manage/companies/{company_id}/things", "things list"],
  ["listThingParts", "/manage/companies/{company_id}/things/{thing_id}/parts", "things list-parts"],
  ["removeOldThing", "/manage/companies/{company_id}/things/{thing_id}", "things remove"],
  ["removeOldThing", "/manage/companies/{company_id}/things/old/{thing_id}", "things remove-old"],
  ["listCompanies", "/manage/companies", "companies list"],
  ["leaveCompany", "/manage/companies/{company_id}/leave", "companies leave"],
  ["acceptOffer", "/manage/offers/{company_id}/accept", "offers accept"],
  ["addCannedReply", "/manage/companies/{company_id}/canned_replies", "canned-replies add"],
  ["sendNotification", "/notify", "notify send-notification"],
];

Deno.test("a command is named after its path and its operationId", () => {
  for (const [operationId, path, name] of NAMES) {
    const { resource, verb } = nameCommand(operationId, path);
    assert.equal(`${resource} ${verb}`, name);
  }
});
