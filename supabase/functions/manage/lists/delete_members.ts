import type { App } from "../../_shared/http/app/context.ts";
import { addMemberChange } from "./change_members.ts";

/** `DELETE …/lists/{list_id}/members` takes contacts off a list. */
export function registerDeleteListMembers(app: App): void {
  addMemberChange(app, {
    method: "delete",
    operationId: "removeContactListMembers",
    summary: "Take contacts off a list",
    change: "remove",
  });
}
