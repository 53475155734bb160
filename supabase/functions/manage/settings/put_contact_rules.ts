import { foldWords } from "../../_shared/contacts/fold_words.ts";
import { updateContactRules } from "../../_shared/db/contacts/contact_rules.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { requireMediaStore } from "../../_shared/media/add_media.ts";
import { addCompanyRoute } from "../company_route.ts";
import { COMPANY_SETTINGS } from "./stored_settings.ts";
import { contactRulesExample, contactRulesSchema } from "./contact_rules.ts";

/** `PUT …/settings/contact_rules` changes the rules about contacts. */
export function registerPutContactRules(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/settings/contact_rules",
    operationId: "changeContactRules",
    summary: "Change the rules about recipients",
    description:
      "Consent, opt-out words, and how long data is kept or when it is archived, which an owner changes. What is left " +
      "out stays. Without a media store nothing can be archived.",
    ownerFields: [
      "keep_notifications_days",
      "keep_messages_days",
      "keep_transcripts_days",
      "archive_after_days",
    ],
    body: {
      schema: contactRulesSchema.partial().openapi("ContactRuleChanges"),
      example: { consent_policy: "warn", opt_out_words: ["¡No más!"], keep_transcripts_days: 90 },
    },
    response: { schema: contactRulesSchema, example: contactRulesExample },
    document: COMPANY_SETTINGS,
  }, async (c, { caller: { companyId, by }, sql, body }) => {
    if (body.archive_after_days) requireMediaStore(c.get("services"));
    const rules = await updateContactRules(sql, companyId, {
      ...body,
      opt_out_words: folded(body.opt_out_words),
      opt_in_words: folded(body.opt_in_words),
    }, by);
    if (rules === null) throw new AppError("not_found", "Company not found");
    return rules;
  });
}

function folded(words: string[] | undefined): string[] | undefined {
  return words && [...new Set(words.map(foldWords))];
}
