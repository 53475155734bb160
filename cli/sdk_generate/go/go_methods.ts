import { alignedLines, comment } from "./go_text.ts";
import type { Argument, Operation } from "./go_operation.ts";

/** Writes the methods of all operations, grouped, and the fields of the client that lead to the groups. */
export function renderOperations(operations: Operation[]): string {
  const groups = [...new Set(operations.map(({ group }) => group))].sort();
  const fields = groups.map((group) => ({ columns: [group, `${group}Resource`] }));
  const values = groups.map((group) => ({ columns: [`${group}:`, `${group}Resource{client},`] }));
  return [
    `// Resources has all operations of the API, grouped by what they are about.\ntype Resources struct {\n${
      alignedLines(fields)
    }}\n`,
    `func newResources(client *Client) Resources {\n\treturn Resources{\n${
      alignedLines(values).replaceAll(/^\t/gm, "\t\t")
    }\t}\n}\n`,
    ...groups.map((group) =>
      `// ${group}Resource has the operations of ${group}.\ntype ${group}Resource struct{ client *Client }\n`
    ),
    ...operations.flatMap((operation) => [paramsOf(operation), methodOf(operation), iteratorOf(operation)]),
  ].filter((text) => text !== "").join("\n");
}

/** The struct of the optional fields of a query; the CSV of a list takes the list's. */
function paramsOf({ name, optional, result, fixed }: Operation): string {
  if (optional.length === 0 || (result === "file" && fixed.length > 0)) return "";
  const lines = optional.map(({ name, type, wire, about }) => ({
    about,
    columns: [name, type, `\`query:"${wire}"\``],
  }));
  return `// ${paramsName(name)} has the optional parameters of ${name}.\ntype ${
    paramsName(name)
  } struct {\n${alignedLines(lines)}}\n`;
}

function paramsName(name: string): string {
  return `${name.replace(/CSV$/, "")}Params`;
}

function methodOf(operation: Operation): string {
  const { name, method, route, group, summary, description, result } = operation;
  const returned = result === undefined ? "error" : `(${result === "file" ? "*File" : result}, error)`;
  return `${
    comment([`${name}: ${summary}.`, description, `It is ${method} ${route}.`])
  }func (s ${group}Resource) ${name}(${signature(operation)}) ${returned} {\n\treturn ${
    callOf(operation)
  }(ctx, s.client, request{\n${requestOf(operation)}\t}, options)\n}\n`;
}

function signature({ name, required, optional, body }: Operation): string {
  return [
    "ctx context.Context",
    ...argumentsOf(required),
    ...body === "file" ? ["file io.ReadSeeker", "contentType string"] : [],
    ...typeof body === "object" ? [`body ${body.isRequired ? "" : "*"}${body.type}`] : [],
    ...optional.length > 0 ? [`params *${paramsName(name)}`] : [],
    "options ...RequestOption",
  ].join(", ");
}

/** Arguments of one type share it. */
function argumentsOf(required: Argument[]): string[] {
  return required.map(({ name, type }, index) =>
    required[index + 1]?.type === type ? name : `${name} ${type}`
  );
}

function callOf({ result }: Operation): string {
  if (result === undefined) return "run";
  return result === "file" ? "openFile" : `call[${result}]`;
}

function requestOf(operation: Operation): string {
  const { method, route, required, optional, fixed, isKeyed, isRepeatable, needsCredential, body } =
    operation;
  const sentIn = (location: Argument["in"]) => required.filter((each) => each.in === location);
  const values: Record<string, string | false> = {
    method: JSON.stringify(method),
    route: JSON.stringify(route),
    path: listOf("[]string", sentIn("path").map(textOf)),
    query: listOf("map[string]string", [
      ...fixed.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
      ...sentIn("query").map(pair),
    ]),
    header: listOf("map[string]string", sentIn("header").map(pair)),
    params: optional.length > 0 && "params",
    open: !needsCredential && "true",
    repeatable: isRepeatable && "true",
    keyed: isKeyed && "true",
    file: body === "file" && "&upload{file, contentType}",
    body: typeof body === "object" && "body",
  };
  const lines = Object.entries(values).filter(([, value]) => value)
    .map(([name, value]) => ({ columns: [`${name}:`, `${value},`] }));
  return alignedLines(lines).replaceAll(/^\t/gm, "\t\t");
}

function listOf(type: string, values: string[]): string | false {
  return values.length > 0 && `${type}{${values.join(", ")}}`;
}

function pair(argument: Argument): string {
  return `${JSON.stringify(argument.wire)}: ${textOf(argument)}`;
}

function textOf({ name, type }: Argument): string {
  return type === "string" ? name : `string(${name})`;
}

/** Lists that continue have a second method, which reads page after page. */
function iteratorOf({ name, group, summary, page, required, optional }: Operation): string {
  if (page === undefined) return "";
  const all = `All${name.replace(/^(List|Get)/, "")}`;
  const given = required.map(({ name }) => name);
  const args = [
    "ctx context.Context",
    ...argumentsOf(required),
    `params *${paramsName(name)}`,
    "options ...RequestOption",
  ];
  if (!optional.some(({ wire }) => wire === "after")) throw new TypeError(`${name}: no parameter after`);
  return `${
    comment([
      `${all} yields the entries of all pages of ${name}, and reads a page when it is needed: ${summary}.`,
    ])
  }func (s ${group}Resource) ${all}(${args.join(", ")}) iter.Seq2[${page.entry}, error] {
	wanted := valueOf(params)
	return readPages(wanted.After, func(after string) ([]${page.entry}, string, error) {
		wanted.After = after
		page, err := s.${name}(${["ctx", ...given, "&wanted", "options..."].join(", ")})
		if err != nil {
			return nil, "", err
		}
		return page.${page.field}, page.Next, nil
	})
}
`;
}
