import { z } from "@hono/zod-openapi";
import { isOneLine, ONE_LINE, WITHOUT_CONTROLS } from "../../_shared/values/control_characters.ts";
import { insertDocument } from "../../_shared/db/widgets/knowledge.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { textSearchLanguage } from "../../_shared/widgets/text_search_language.ts";
import { languageTag } from "../../_shared/widgets/widget_config.ts";
import { addCompanyRoute } from "../company_route.ts";
import { documentSchema, EXAMPLE } from "./document.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const MAX_CHARACTERS = 100_000;

/** In UTF-8, with escapes. */
const MAX_BYTES = 512 * 1024;

const bodySchema = z.strictObject({
  title: z.string().min(1, "1 to 300 characters").max(300, "1 to 300 characters")
    .refine(isOneLine, `one line of ${WITHOUT_CONTROLS}`).openapi({ pattern: ONE_LINE }),
  content: z.string().min(1, "1 to 100,000 characters").max(MAX_CHARACTERS, "1 to 100,000 characters"),
  url: z.string().max(2000, "at most 2000 characters").regex(
    /^https?:\/\//,
    "a URL that begins with https://",
  )
    .optional().openapi({ description: "Where visitors can read it" }),
  language: languageTag.optional().openapi({
    description: "Of the text; the search then matches all forms of a word",
  }),
}).openapi("KnowledgeDocumentRequest");

/** `POST …/knowledge` adds a document. */
export function registerPostKnowledge(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/knowledge",
    operationId: "addKnowledge",
    summary: "Add a document",
    body: {
      schema: bodySchema,
      example: { title: "Returns", content: "Send it back within 30 days.", language: "en" },
      maxBytes: MAX_BYTES,
    },
    response: { schema: documentSchema, example: EXAMPLE },
  }, async (c, { caller: { companyId, by }, body: { title, content, url, language } }) => {
    const document = { companyId, title, content, url: url ?? null, language: textSearchLanguage(language) };
    return showRow(documentSchema, await insertDocument(c.get("services").sql, document, by));
  });
}
