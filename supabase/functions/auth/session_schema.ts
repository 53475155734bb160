import { z } from "@hono/zod-openapi";
import { readAuthData } from "../_shared/access/auth_server.ts";

const identitySchema = z.object({
  identity_id: z.string(),
  id: z.string(),
  user_id: z.string(),
  identity_data: z.object({
    email: z.string().optional(),
    email_verified: z.boolean().optional(),
    phone_verified: z.boolean().optional(),
    sub: z.string().optional(),
  }),
  provider: z.string(),
  last_sign_in_at: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  email: z.string().optional(),
}).openapi("Identity");

/** Exactly the contract's fields: whatever else the auth server adds is left out by parsing. */
export const sessionSchema = z.object({
  access_token: z.string(),
  token_type: z.literal("bearer"),
  expires_in: z.number().int(),
  expires_at: z.number().int().optional(),
  refresh_token: z.string(),
  user: z.object({
    id: z.string(),
    aud: z.string(),
    role: z.string().optional(),
    email: z.string().optional(),
    email_confirmed_at: z.string().optional(),
    phone: z.string().default(""),
    confirmed_at: z.string().optional(),
    last_sign_in_at: z.string().optional(),
    app_metadata: z.object({ provider: z.string().optional(), providers: z.array(z.string()).optional() }),
    user_metadata: z.object({ email_verified: z.boolean().optional(), name: z.string().optional() }),
    identities: z.array(identitySchema).default([]),
    created_at: z.string(),
    updated_at: z.string().optional(),
    is_anonymous: z.boolean().default(false),
  }).openapi("User"),
}).openapi("Session");

export type Session = z.output<typeof sessionSchema>;

/** A session for the API document. */
export const SESSION_EXAMPLE: z.input<typeof sessionSchema> = {
  access_token: "eyJhbGciOiJFUzI1NiJ9.e30.x",
  token_type: "bearer",
  expires_in: 3600,
  expires_at: 1796122800,
  refresh_token: "v4s7k2m9",
  user: {
    id: "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f",
    aud: "authenticated",
    role: "authenticated",
    email: "ana@example.com",
    phone: "",
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: { email_verified: true, name: "Ana" },
    identities: [],
    created_at: "2026-12-01T09:00:00Z",
    is_anonymous: false,
  },
};

/** Returns a session as the auth server sent it. Throws `service_unavailable` (502) for anything else. */
export function sessionOf(data: unknown): Session {
  return readAuthData(sessionSchema, data);
}
