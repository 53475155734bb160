import assert from "node:assert/strict";
import type { Agent, ManagedTemplate, Sender } from "../../console/data/sdk.ts";
import { guessVariables, wrongVariables } from "../../console/screens/compose/steps/agent_variables.ts";
import type { ContactFile } from "../../console/screens/compose/upload/contact_file.ts";
import { type Choices, missingFields, planOf, unreadyPlan } from "../../console/screens/compose/draft.ts";
import { choicesOf } from "../../console/screens/compose/saved/read_plan.ts";
import { adaptSources, guessSources } from "../../console/screens/compose/steps/guess_columns.ts";
import { instantOf } from "../../console/data/zoned_time.ts";

function fileOf(columns: string[], ...rows: string[][]): ContactFile {
  return {
    name: "people.csv",
    body: new Blob(),
    type: "text/csv",
    columns,
    rows: rows.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index]!]))),
    count: rows.length,
    isExact: true,
    isHeadless: false,
  };
}

function value(name: string, example: string, required = true) {
  return { name, example, required, kind: "text" as const, expects: "text" };
}

const ORDER = [
  value("body_text_0", "Ana"),
  value("body_text_1", "A-1042"),
  value("buttons_quick_reply_0", "YES", false),
];

Deno.test("guessSources() finds numbers by name or look, and values by name, look or order", () => {
  const cases: [string, ContactFile, Record<string, string>][] = [
    [
      "Spanish names, another order",
      fileOf(["Pedido", "Teléfono", "Nombre"], ["B-7", "34600111222", "José"]),
      { number: "Teléfono", body_text_0: "Nombre", body_text_1: "Pedido" },
    ],
    [
      "the API's names",
      fileOf(["number", "body_text_1", "body_text_0"], ["34600111222", "x", "y"]),
      { number: "number", body_text_0: "body_text_0", body_text_1: "body_text_1" },
    ],
    [
      "numbers under any name",
      fileOf(["A", "B", "C"], ["Ana", "A-1", "+34 600 111 222"]),
      { number: "C", body_text_0: "A", body_text_1: "B" },
    ],
    ["too few columns", fileOf(["Phone", "Name"], ["34600111222", "Ana"]), {
      number: "Phone",
      body_text_0: "Name",
    }],
    ["no numbers", fileOf(["Name"], ["Ana"]), { body_text_0: "Name" }],
  ];
  for (const [title, file, expected] of cases) {
    const guessed = guessSources(file, ORDER);
    const columns = Object.entries(guessed).map((
      [name, source],
    ) => [name, source.kind === "column" && source.column]);
    assert.deepEqual(Object.fromEntries(columns), expected, title);
  }
});

Deno.test("guessVariables() names a variable after each column, as the API takes it", () => {
  const guessed = guessVariables(["Móvil", "First name", "2026", "Number", "Metadata", "--", "Año-Mes"]);

  assert.deepEqual(guessed, {
    "Móvil": "móvil",
    "First name": "first_name",
    "2026": "column_2026",
    Number: "column_number",
    Metadata: "column_metadata",
    "Año-Mes": "año_mes",
  });
  assert.deepEqual([...wrongVariables(guessed, undefined)], []);
  assert.equal(Object.keys(guessVariables(Array.from({ length: 80 }, (_, index) => `c${index}`))).length, 50);
});

Deno.test("wrongVariables() finds names that the API does not take, and those that are there twice", () => {
  const variables = {
    ...{ Phone: "number", a: "first_name", b: "city ", c: "city", d: "", e: "2026", f: "{{x}}", g: "a.b" },
    ...{ h: "metadata", i: "system__time", j: "outbound_reference", k: "x".repeat(65), l: "año-mes 2" },
  };

  const wrong = wrongVariables(variables, "Phone");

  assert.deepEqual([...wrong], ["b", "c", "e", "f", "g", "h", "i", "j", "k"]);
});

const CHOICES: Choices = {
  audience: undefined,
  sources: {
    number: { kind: "column", column: "Phone" },
    body_text_0: { kind: "column", column: "Name" },
    body_text_1: { kind: "text", text: "A-1" },
  },
  variables: {},
  kept: [],
  campaignName: " Orders ",
  type: undefined,
  start: "now",
  at: "",
  zone: "Europe/Madrid",
  hour: "09:00",
  day: "",
  spreadHours: 0,
  duplicates: "refuse",
  country: undefined,
};

const TEMPLATE = {
  name: "order_update",
  language: "es",
  category: "MARKETING",
  values: ORDER,
} as ManagedTemplate;
const SENDER = { sender_id: "sender" } as Sender;

Deno.test("planOf() writes the body of an upload, with a column or a text per value", () => {
  const content = { channel: "whatsapp" as const, template: TEMPLATE };
  const file = fileOf(["Phone", "Name"]);

  const plan = (choices: Partial<Choices> = {}) =>
    planOf({ content, sender: SENDER, people: file, choices: { ...CHOICES, ...choices } });
  const now = plan();
  const later = plan({ start: "later", at: "2030-01-31T09:00", spreadHours: 4 });
  const own = plan({ start: "recipient", hour: "08:30", day: "2030-01-31" });

  assert.deepEqual(now, {
    channel: "whatsapp",
    name_template: "order_update",
    language_template: "es",
    recipient_id: "sender",
    notification_type: "marketing",
    campaign_name: "Orders",
    duplicates: "refuse",
    columns: { number: "Phone", body_text_0: "Name" },
    components_push: { body_text_1: "A-1" },
    file_name: "people.csv",
  });
  assert.deepEqual(
    [later.datetime_sending, later.timezone, later.spread_over],
    ["2030-01-31T09:00:00", "Europe/Madrid", "PT4H"],
  );
  assert.deepEqual([own.recipient_time, own.datetime_sending], ["08:30", "2030-01-31T08:30:00"]);
});

Deno.test("planOf() gives stored people no column of numbers", () => {
  const content = { channel: "whatsapp" as const, template: TEMPLATE };
  const audience = { kind: "tag" as const, tag: " vip ", except: [{ campaign_id: "c" }] };
  const people = { audience, columns: ["name"], rows: [] };
  const choices = { ...CHOICES, audience, sources: adaptSources(people, ORDER, CHOICES.sources) };

  const plan = planOf({ content, sender: SENDER, people, choices });

  assert.deepEqual(plan.audience, {
    condition: { field: "tag", op: "is", value: "vip" },
    except: [{ campaign_id: "c" }],
  });
  assert.deepEqual(plan.columns, { body_text_0: "name" });
  assert.deepEqual(plan.components_push, { body_text_1: "A-1" });
});

Deno.test("choicesOf() reads what unreadyPlan() wrote", () => {
  const content = { channel: "whatsapp" as const, template: TEMPLATE };
  const agent = { channel: "voice" as const, agent: { agent_id: "agent" } as Agent };
  const audience = { kind: "list" as const, listId: "l", except: [] };
  const cases: [typeof content | typeof agent | undefined, Partial<Choices>][] = [
    [content, { kept: ["Branch (city)", "Name"] }],
    [content, { start: "later", at: "2030-01-31T09:00", zone: "UTC", duplicates: "accept", country: "ES" }],
    [content, { start: "recipient", hour: "09:30", zone: "UTC", day: "2030-01-31", spreadHours: 8 }],
    [content, { audience, sources: { body_text_0: { kind: "column", column: "name" } } }],
    [agent, {
      sources: { number: { kind: "column", column: "Phone" } },
      variables: { Nombre: "first_name" },
      kept: ["Branch"],
    }],
    [undefined, { sources: {}, campaignName: "Only a name" }],
  ];
  for (const [content, choices] of cases) {
    const written = { ...CHOICES, campaignName: "Orders", ...choices };

    const read = choicesOf(
      JSON.parse(JSON.stringify(unreadyPlan({ content, sender: SENDER, choices: written }))),
    );

    assert.deepEqual({ ...CHOICES, ...read, type: undefined }, written);
  }
});

Deno.test("adaptSources() keeps what was chosen where the new file has the column", () => {
  const before = {
    number: { kind: "column" as const, column: "Mobile" },
    body_text_0: { kind: "column" as const, column: "Customer" },
    body_text_1: { kind: "text" as const, text: "A-1" },
  };

  const sources = adaptSources(fileOf(["Phone", "Customer"], ["34600111222", "Ana"]), ORDER, before);

  assert.deepEqual(sources, { ...before, number: { kind: "column", column: "Phone" } });
});

Deno.test("instantOf() is the moment at which the clocks of a zone show a time", () => {
  assert.equal(instantOf("2030-01-31T09:00", "Europe/Madrid"), Date.UTC(2030, 0, 31, 8));
  assert.equal(instantOf("2030-07-31T09:00", "America/New_York"), Date.UTC(2030, 6, 31, 13));
  // The clocks go forward on this morning.
  assert.equal(instantOf("2030-03-31T09:00", "Europe/Madrid"), Date.UTC(2030, 2, 31, 7));
  assert.equal(instantOf("", "UTC"), undefined);
});

Deno.test("planOf() gives the agent of a call the columns that have a name, besides the number", () => {
  const content = { channel: "voice" as const, agent: { agent_id: "agent" } as Agent };
  const choices = {
    ...CHOICES,
    sources: { number: { kind: "column" as const, column: "Phone" } },
    variables: { Phone: "phone", Nombre: " first_name ", Notes: "" },
  };

  const plan = planOf({ content, sender: SENDER, people: fileOf(["Phone", "Nombre", "Notes"]), choices });

  assert.deepEqual(plan, {
    channel: "voice",
    agent_id: "agent",
    recipient_id: "sender",
    notification_type: "transactional",
    campaign_name: "Orders",
    duplicates: "refuse",
    columns: { first_name: "Nombre", number: "Phone" },
    file_name: "people.csv",
  });
});

Deno.test("missingFields() names what has neither a column nor a text", () => {
  const content = { channel: "whatsapp" as const, template: TEMPLATE };
  const sources = { body_text_1: { kind: "text" as const, text: " " } };

  assert.deepEqual(missingFields({ content, choices: CHOICES }), []);
  assert.deepEqual(missingFields({ content, choices: { ...CHOICES, sources } }), [
    "number",
    "body_text_0",
    "body_text_1",
  ]);
});
