import assert from "node:assert/strict";
import { join } from "node:path";
import { readGo } from "../../cli/sdk_generate/go/generate_go.ts";
import { readDocuments } from "../../cli/sdk_generate/read_documents.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { runGo, withGoClient } from "./go_client.ts";

/** An example of the API document, and the type of Go that holds it. */
interface Example {
  title: string;
  value: unknown;
  type: string;
}

Deno.test("every example of the API document goes through the types of Go and stays what it is", ({ name }) =>
  withGoClient(name, async (folder) => {
    const { forClients } = await readDocuments();
    const examples = readGo(forClients).operations.flatMap((operation) => {
      const { body, result } = operation;
      const described = (forClients.paths as JsonObject)[operation.route][operation.method.toLowerCase()];
      const title = `${operation.method} ${operation.route}`;
      const of = (content: JsonObject | undefined, type: string) =>
        examplesOf(content?.["application/json"]).map((value): Example => ({ title, value, type }));
      return [
        ...typeof body === "object" ? of(described.requestBody.content, body.type) : [],
        ...result && result !== "file" ? of(described.responses[200]?.content, result.replace("*", "")) : [],
      ];
    });
    await Deno.writeTextFile(join(folder, "main.go"), programOf(examples));

    const read = JSON.parse(await runGo(folder, "run", "."));

    assert.ok(examples.length > 200, `${examples.length} examples`);
    const found = examples.flatMap(({ title, value }, index) => differences(title, value, read[index]));
    assert.deepEqual(found, []);
  }));

function examplesOf({ example, examples = {} }: JsonObject = {}): unknown[] {
  const named = Object.values<JsonObject>(examples).map(({ value }) => value);
  return example === undefined ? named : [example, ...named];
}

/** Reads each example into its type, and prints all of them. */
function programOf(examples: Example[]): string {
  const reads = examples.map(({ value, type }) => {
    const exported = type.replace(/^(\[\])?([A-Z])/, "$1outbound.$2");
    return `\t\tread(new(${exported}), ${JSON.stringify(JSON.stringify(value))}),\n`;
  });
  return `package main

import (
	"encoding/json"
	"os"

	"github.com/outbound/outbound-go"
)

func read(into any, text string) any {
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return err.Error()
	}
	return into
}

func main() {
	if err := json.NewEncoder(os.Stdout).Encode([]any{
${reads.join("")}	}); err != nil {
		panic(err)
	}
}
`;
}

/** Describes all that is not the same; null and an empty text may be left out, and a time may have other zeros. */
function differences(path: string, given: unknown, read: unknown): string[] {
  if (typeof given === "object" && given !== null && typeof read === "object" && read !== null) {
    return Object.entries(given).flatMap(([name, value]) =>
      differences(`${path} ${name}`, value, (read as JsonObject)[name])
    );
  }
  const isSame = given === read || given === null || (given === "" && read === undefined) ||
    (typeof given === "string" && Date.parse(given) === Date.parse(String(read)));
  return isSame ? [] : [`${path}: ${JSON.stringify(given)} became ${JSON.stringify(read)}`];
}
