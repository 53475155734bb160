/** Settings that `serve` needs in production. */
export const SERVE_SETTINGS = [
  "DATABASE_URL",
  "SECRETS_KEY",
  "PUBLIC_URL",
  "SUPABASE_URL",
  "SUPABASE_PUBLISHABLE_KEY",
  "WHATSAPP_APP_SECRET",
  "WHATSAPP_VERIFY_TOKEN",
];
