import assert from "node:assert/strict";
import { openConnectionPool } from "../../../supabase/functions/_shared/dispatching/send.ts";
import { loadEnv } from "../../../supabase/functions/_shared/env.ts";
import { TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";

const isOpened = (variables: Record<string, string>) =>
  openConnectionPool(loadEnv({
    DATABASE_URL: "postgres://127.0.0.1/x",
    OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
    ...variables,
  })) !== undefined;

Deno.test("openConnectionPool() leaves requests to fetch where a proxy is set", () => {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"]) {
    assert.equal(isOpened({ [name]: "http://127.0.0.1:3128" }), false, name);
    assert.equal(isOpened({ [name]: "" }), true, name);
  }
});

Deno.test("openConnectionPool() leaves requests to fetch where the runtime has no sockets", () => {
  const { connect } = Deno;
  try {
    Object.assign(Deno, { connect: undefined });

    assert.equal(isOpened({}), false);
  } finally {
    Object.assign(Deno, { connect });
  }
});
