import type { App } from "../../_shared/http/app/context.ts";
import { addMemberChange } from "./change_members.ts";

/** `POST …/lists/{list_id}/members` adds contacts to a list. */
export function registerPostListMembers(app: App): void {
  addMemberChange(app, {
    method: "post",
    operationId: "addContactListMembers",
    summary: "Add contacts to a list",
    change: "add",
  });
}
