import type { JsonObject } from "../../setup/http/http.ts";

/** A route, with something in place of its parameters. */
export interface PublicRoute {
  method: string;
  path: string;
}

/** Returns every route of a running service, as its own document lists them. */
export async function routesOf(port: number): Promise<PublicRoute[]> {
  const document: JsonObject = await (await fetch(`http://127.0.0.1:${port}/functions/v1/openapi.json`))
    .json();
  const base = new URL(document.servers?.[0]?.url ?? "/functions/v1", "http://x").pathname;
  return Object.entries(document.paths as Record<string, JsonObject>).flatMap(([path, methods]) =>
    Object.keys(methods).filter((method) => /^(get|post|put|patch|delete)$/.test(method)).map((method) => ({
      method: method.toUpperCase(),
      path: base.replace(/\/$/, "") + path.replaceAll(/\{\w+\}/g, "%F0%9F%92%A9"),
    }))
  );
}

/** Requests that strangers, and clients with a good key, send by mistake or on purpose. */
export function rubbish(key: string): { query: string; headers: Record<string, string>; body: string }[] {
  const json = { "content-type": "application/json" };
  return [
    { query: "", headers: {}, body: "" },
    { query: "?access_key=%00", headers: json, body: "{" },
    { query: `?access_key=${key}`, headers: json, body: '{"a":"\\u0000"}' },
    {
      query: `?access_key=${key}&limit=-1&after=%FF&dry_run=x`,
      headers: json,
      body: '{"contact":[1,{}],"email":5}',
    },
    { query: `?access_key=${key}`, headers: json, body: `{"contact":${"[".repeat(1000)}` },
    {
      query: `?grant_type=password&visitor_id=x&key=%F0`,
      headers: { ...json, authorization: "Bearer not.a.token", "last-event-id": "-9".repeat(50) },
      body: '{"email":"a@b.c","password":""}',
    },
    {
      query: "?hub.mode=subscribe",
      headers: {
        ...json,
        "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
        "elevenlabs-signature": `t=${Math.floor(Date.now() / 1000)},v0=${"0".repeat(64)}`,
        "idempotency-key": "é",
      },
      body: "\u{feff}[]",
    },
  ];
}
