import { sha256Hex } from "../_shared/crypto/digests.ts";
import type { Sql } from "../_shared/db/driver/connect.ts";
import { inTransaction } from "../_shared/db/driver/in_transaction.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";

/** The name of a document: the company, and the parameters of the path. */
export interface DocumentKey<Params> {
  companyId: string;
  params: Params;
}

/** A document that several members may change at the same time: a GET shows it, a PUT or DELETE changes it. */
export interface SettingsDocument<Params> {
  /** Keeps other transactions from changing it until this one ends. */
  lock(sql: Sql, key: DocumentKey<Params>): Promise<unknown>;
  /** Returns what its ETag stands for: all that may change. */
  read(sql: Sql, key: DocumentKey<Params>): Promise<unknown>;
}

/** How an ETag looks that this service has made. A proxy that compresses the response marks it as weak. */
const ETAG = /^(?:W\/)?("[^"]*")$/;

/** Returns the ETag of a document as it is now. */
export async function etagOf<Params>(
  document: SettingsDocument<Params>,
  sql: Sql,
  key: DocumentKey<Params>,
): Promise<string> {
  return `"${sha256Hex(JSON.stringify(await document.read(sql, key)) ?? "").slice(0, 32)}"`;
}

/**
 * Calls `change` if the document is still the one that the request's `If-Match` names, and names the new one in the
 * response. Other transactions cannot change it in between.
 *
 * Throws `precondition_required` without the header, and `precondition_failed` after another caller's change.
 */
export async function changeDocument<Params, Result>(
  c: AppContext,
  document: SettingsDocument<Params>,
  key: DocumentKey<Params>,
  change: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const expected = readIfMatch(c.req.header("If-Match"));
  return await inTransaction(c.get("services").sql, async (sql) => {
    await document.lock(sql, key);
    if (expected !== "*" && !expected.includes(await etagOf(document, sql, key))) throw changedMeanwhile();
    const result = await change(sql);
    c.header("ETag", await etagOf(document, sql, key));
    return result;
  });
}

/** Returns the ETags of the header, without marks of weakness; `*` for whatever there is. */
function readIfMatch(header: string | undefined): string[] | "*" {
  if (header === undefined || header.trim() === "") {
    throw new AppError(
      "precondition_required",
      "Missing header: 'If-Match'. Send the ETag of what you have read",
    );
  }
  if (header.trim() === "*") return "*";
  return header.split(",").flatMap((each) => ETAG.exec(each.trim())?.[1] ?? []);
}

function changedMeanwhile(): AppError {
  return new AppError(
    "precondition_failed",
    "This has changed since you have read it: read it again, then make your change",
  );
}
