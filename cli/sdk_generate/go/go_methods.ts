import { alignedLines, comment } from "./go_text.ts";
import type { Argument, Operation } from "./go_document.ts";

/** Writes the methods of all operations, grouped, and the fields of the client that lead to the groups. */
export function renderOperations(operations: Operation[]): string {
  const groups = [...new Set(operations.map(({ group }) => group))].sort();
  const fields = groups.map((group) => ({ columns: [group, `${group}Service`] }));
  const values = groups.map((group) => ({ columns: [`${group}:`, `${group}Service{client},`] }));
  return [
    `// Resources has all operations of the API, grouped by what they are about.\ntype Resources struct {\n${
      alignedLines(fields)
    }}\n`,
    `func newResources(client *Client) Resources {\n\treturn Resources{\n${
      alignedLines(values).replaceAll(/^\t/gm, "\t\t")
    }\t}\n}\n`,
    ...groups.map((group) =>
      `// ${group}Service has the operations of ${group}.\ntype ${group}Service struct{ client *Client }\n`
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
  }func (s ${group}Service) ${name}(${signature(operation)}) ${returned} {\n\treturn ${
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

function requestOf(
  { method, route, required, optional, fixed, isKeyed, isRepeatable, body }: Operation,
): string {
  const path = required.filter((each) => each.in === "path");
  const queries = [
    ...fixed.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...required.filter((each) => each.in === "query").map(pair),
  ];
  const headers = required.filter((each) => each.in === "header").map(pair);
  const lines: [string, string][] = [
    ["method", JSON.stringify(method)],
    ["route", JSON.stringify(route)],
    ...path.length > 0 ? [["path", `[]string{${path.map(textOf).join(", ")}}`] as [string, string]] : [],
    ...queries.length > 0 ? [["query", `map[string]string{${queries.join(", ")}}`] as [string, string]] : [],
    ...headers.length > 0 ? [["header", `map[string]string{${headers.join(", ")}}`] as [string, string]] : [],
    ...optional.length > 0 ? [["params", "params"] as [string, string]] : [],
    ...isRepeatable ? [["repeatable", "true"] as [string, string]] : [],
    ...isKeyed ? [["keyed", "true"] as [string, string]] : [],
    ...body === "file" ? [["file", "&upload{file, contentType}"] as [string, string]] : [],
    ...typeof body === "object" ? [["body", "body"] as [string, string]] : [],
  ];
  return alignedLines(lines.map(([name, value]) => ({ columns: [`${name}:`, `${value},`] })))
    .replaceAll(/^\t/gm, "\t\t");
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
  }func (s ${group}Service) ${all}(${args.join(", ")}) iter.Seq2[${page.entry}, error] {
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
