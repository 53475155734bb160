import { followEvents as readEvents } from "../../sdk/typescript/src/operations.ts";
import { clientFor, connect, WHICH_COMPANY } from "./connection.ts";
import type { OwnOptions } from "./own_flags.ts";
import type { Program } from "./program.ts";
import { readRequest } from "./read_request.ts";
import { UsageError } from "./usage_error.ts";

const FLAGS = { "company-id": { value: "ID" }, "last-event-id": { value: "ID" } };

interface Options extends OwnOptions {
  "company-id"?: string;
  "last-event-id"?: string;
}

/** Prints a line per event of a company, without end. */
export async function followEvents({ env, terminal }: Program, args: string[]): Promise<void> {
  const own = readRequest({ flags: [] }, args, FLAGS).own as Options;
  const connection = await connect(env, own);
  const companyId = own["company-id"] ?? connection.companyId;
  if (companyId === undefined) throw new UsageError(WHICH_COMPANY);
  const { client } = await clientFor(connection, { credentials: ["token"] });
  const lastEventId = own["last-event-id"];
  for await (
    const event of readEvents(client, companyId, { ...(lastEventId !== undefined && { lastEventId }) })
  ) {
    if (own.json) await terminal.printJson(event);
    else await terminal.print(`${event.type.padEnd(13)} ${describe(event.data)}`);
  }
}

/** The plain fields of an event, in one line. */
function describe(data: object): string {
  return Object.entries(data)
    .filter(([, value]) => value !== null && typeof value !== "object")
    .map(([name, value]) => `${name}=${String(value).replaceAll(/\s+/g, " ")}`)
    .join(" ");
}
