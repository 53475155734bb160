import type { JsonObject } from "../setup/http/http.ts";
import type { Manage } from "./with_manage.ts";

/** The company's audit without ids and times, newest first. */
export async function auditOf(t: Manage, query: Record<string, string> = {}): Promise<JsonObject[]> {
  const { body } = await t.read("/audit", query);
  return body.audit.map(({ actor, action, subject, before, after }: JsonObject) => ({
    actor,
    action,
    subject,
    before,
    after,
  }));
}
