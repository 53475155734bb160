import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { change, changedExample, changedSchema, params } from "./change_sender.ts";

/** `POST …/senders/{sender_id}/resume` lets a sender that was stopped send again. */
export function registerPostSenderResume(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/senders/{sender_id}/resume",
      operationId: "resumeSender",
      summary: "Let a stopped sender send again",
      description: "Earlier reports of the platform then change nothing. A repeated request changes nothing.",
      params,
      response: { schema: changedSchema, example: changedExample },
    },
    async (c, { caller, params: { sender_id: senderId } }) =>
      await change(c, caller, senderId, { resume: true }),
  );
}
