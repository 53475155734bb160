import type { DocumentedOperation } from "../../sdk_generate/document.ts";

/** A way to authenticate, as the API document describes it. */
export type SecurityScheme =
  | { type: "http"; scheme: "bearer" }
  | { type: "apiKey"; in: "query" | "header"; name: string };

/** By their names in the document. */
export type SecuritySchemes = Record<string, SecurityScheme>;

/** Returns the authentication of a request: a company's key where it may, or else the first way of the operation. */
export function authOf(operation: DocumentedOperation, schemes: SecuritySchemes): object {
  const name = credentialOf(operation);
  if (name === undefined) return { type: "noauth" };
  const value = `{{${variableOf(name)}}}`;
  const scheme = schemes[name]!;
  if (scheme.type === "http") return { type: "bearer", bearer: attributes({ token: value }) };
  return { type: "apikey", apikey: attributes({ key: scheme.name, value, in: scheme.in }) };
}

/** Returns a variable, still empty, for each credential that one of the operations takes. */
export function credentialVariables(operations: DocumentedOperation[]): object[] {
  const names = operations.flatMap((operation) => credentialOf(operation) ?? []);
  return [...new Set(names.map(variableOf))].map((key) => ({ key, value: "" }));
}

/** Returns the query parameters that carry a credential, which the authentication of a request adds. */
export function credentialParameters(
  { security = [] }: DocumentedOperation,
  schemes: SecuritySchemes,
): Set<string> {
  const used = security.flatMap(Object.keys).map((name) => schemes[name]!);
  return new Set(used.flatMap((scheme) => scheme.type === "apiKey" ? scheme.name : []));
}

function credentialOf({ security = [] }: DocumentedOperation): string | undefined {
  const names = security.map((each) => Object.keys(each)[0]).filter((name) => name !== undefined);
  return names.find((name) => name === "accessKey") ?? names[0];
}

function variableOf(scheme: string): string {
  return scheme.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function attributes(values: Record<string, string>): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value, type: "string" }));
}
