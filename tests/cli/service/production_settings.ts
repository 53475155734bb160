import { TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";

/** Every setting production needs besides the database. */
export const SETTINGS = {
  OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
  OUTBOUND_PUBLIC_URL: "http://127.0.0.1:1",
  SUPABASE_URL: "http://127.0.0.1:1",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_test",
  WHATSAPP_APP_SECRET: "app-secret",
  WHATSAPP_VERIFY_TOKEN: "verify-token",
  PORT: "0",
};
