import { z } from "@hono/zod-openapi";
import { isOneLine, ONE_LINE, WITHOUT_CONTROLS } from "../../_shared/values/control_characters.ts";
import {
  deleteDocument,
  type DocumentRow,
  insertDocument,
  readDocument,
  readDocumentPage,
} from "../../_shared/db/widgets/knowledge.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema, pageFields, timeOf } from "../../_shared/http/app/list_page.ts";
import { textSearchLanguage } from "../../_shared/widgets/text_search_language.ts";
import { languageTag } from "../../_shared/widgets/widget_config.ts";
import { addMemberRoute } from "../member_route.ts";

const MAX_CHARACTERS = 100_000;
/** In UTF-8, with escapes. */
const MAX_BYTES = 512 * 1024;

const documentSchema = z.object({
  document_id: z.guid(),
  title: z.string(),
  url: z.string().nullable(),
  language: z.string().openapi({
    description: "How words are reduced to their stems: `english`, `simple` …",
  }),
  characters: z.number().int(),
  created_at: z.iso.datetime(),
}).openapi("KnowledgeDocument");

const EXAMPLE: z.input<typeof documentSchema> = {
  document_id: "0192f8d0-1111-4222-8333-444455556666",
  title: "Returns",
  url: "https://shop.example/returns",
  language: "english",
  characters: 1200,
  created_at: "2026-12-01T09:00:00Z",
};

const params = z.object({ document_id: z.guid() });

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

function describeDocument(row: DocumentRow): z.input<typeof documentSchema> {
  return {
    document_id: row.documentId,
    title: row.title,
    url: row.url,
    language: row.language,
    characters: row.characters,
    created_at: timeOf(row.createdAt)!,
  };
}

function noDocument(): AppError {
  return new AppError("not_found", "Document not found");
}

/** `GET` and `POST …/knowledge` list and add documents that voice widgets search; `GET` and `DELETE …/{document_id}` one. */
export function registerKnowledge(app: App): void {
  registerList(app);
  registerAdd(app);
  registerGet(app);
  registerDelete(app);
}

function registerList(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/knowledge",
    operationId: "listKnowledge",
    summary: "List the documents that voice widgets search",
    role: "viewer",
    query: z.object(pageFields),
    response: {
      schema: z.object({ documents: z.array(documentSchema), next: nextSchema }).openapi("Knowledge"),
      example: { documents: [EXAMPLE], next: null },
    },
  }, async (c, { member: { companyId }, query }) => {
    const rows = await readDocumentPage(c.get("services").sql, { ...query, companyId });
    return {
      documents: rows.map(describeDocument),
      next: nextOf(rows, query.limit, "documentId"),
    };
  });
}

function registerAdd(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/knowledge",
    operationId: "addKnowledge",
    summary: "Add a document",
    role: "operator",
    body: {
      schema: bodySchema,
      example: { title: "Returns", content: "Send it back within 30 days.", language: "en" },
      maxBytes: MAX_BYTES,
    },
    response: { schema: documentSchema, example: EXAMPLE },
  }, async (c, { member: { companyId, by }, body: { title, content, url, language } }) => {
    const document = { companyId, title, content, url: url ?? null, language: textSearchLanguage(language) };
    return describeDocument(await insertDocument(c.get("services").sql, document, by));
  });
}

function registerGet(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/knowledge/{document_id}",
    operationId: "getKnowledge",
    summary: "Show one document with its text",
    role: "viewer",
    params,
    response: {
      schema: documentSchema.extend({ content: z.string() }).openapi("KnowledgeText"),
      example: { ...EXAMPLE, content: "Send it back within 30 days." },
    },
  }, async (c, { member: { companyId }, params: { document_id: documentId } }) => {
    const row = await readDocument(c.get("services").sql, { companyId, documentId });
    if (row === undefined) throw noDocument();
    return { ...describeDocument(row), content: row.content };
  });
}

function registerDelete(app: App): void {
  addMemberRoute(app, {
    method: "delete",
    path: "/knowledge/{document_id}",
    operationId: "removeKnowledge",
    summary: "Remove a document",
    role: "operator",
    params,
    response: {
      schema: z.object({ document_id: z.guid(), removed: z.literal(true) }).openapi("RemovedKnowledge"),
      example: { document_id: EXAMPLE.document_id, removed: true },
    },
  }, async (c, { member: { companyId, by }, params: { document_id: documentId } }) => {
    if (!await deleteDocument(c.get("services").sql, { companyId, documentId }, by)) throw noDocument();
    return { document_id: documentId, removed: true as const };
  });
}
