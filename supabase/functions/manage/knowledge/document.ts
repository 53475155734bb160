import { z } from "@hono/zod-openapi";
import { AppError } from "../../_shared/errors.ts";

export const documentSchema = z.object({
  document_id: z.guid(),
  title: z.string(),
  url: z.string().nullable(),
  language: z.string().openapi({
    description: "How words are reduced to their stems: `english`, `simple` …",
  }),
  characters: z.number().int(),
  created_at: z.iso.datetime(),
}).openapi("KnowledgeDocument");

export const EXAMPLE: z.input<typeof documentSchema> = {
  document_id: "0192f8d0-1111-4222-8333-444455556666",
  title: "Returns",
  url: "https://shop.example/returns",
  language: "english",
  characters: 1200,
  created_at: "2026-12-01T09:00:00Z",
};

export const params = z.object({ document_id: z.guid() });

export function noDocument(): AppError {
  return new AppError("not_found", "Document not found");
}
