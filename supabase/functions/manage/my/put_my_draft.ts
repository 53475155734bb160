import { storeMemberDraft } from "../../_shared/db/access/member_drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  draftOf,
  myDraftBody,
  myDraftBodyExample,
  myDraftExample,
  myDraftParams,
  myDraftSchema,
} from "./my_draft.ts";

/** A template and a widget with texts in every language are smaller. */
const MAX_BYTES = 64 * 1024;

/** `PUT …/my/drafts/{kind}/{key}` keeps what the caller typed into a form. */
export function registerPutMyDraft(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/my/drafts/{kind}/{key}",
    operationId: "keepMyDraft",
    summary: "Keep what you typed and did not save",
    description: "For you alone, in every browser, for 30 days. You have 50 of them: the oldest is removed.",
    params: myDraftParams,
    body: { schema: myDraftBody, example: myDraftBodyExample, maxBytes: MAX_BYTES },
    response: { schema: myDraftSchema, example: myDraftExample },
  }, async (c, { caller, params, body: { body } }) => {
    const updated_at = await storeMemberDraft(c.get("services").sql, draftOf(caller, params), body);
    return showRow(myDraftSchema, { draft: { body, updated_at } });
  });
}
