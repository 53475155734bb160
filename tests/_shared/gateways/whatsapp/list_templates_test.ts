import assert from "node:assert/strict";
import { AppError } from "../../../../supabase/functions/_shared/errors.ts";
import { statusOf } from "../../../../supabase/functions/_shared/http/app/respond_error.ts";
import { listTemplates } from "../../../../supabase/functions/_shared/gateways/whatsapp/list_templates.ts";
import { closedPort, withHttpServer, withRawServer } from "../local_server.ts";

const ACCOUNT = { wabaId: "112233", token: "EAAG-secret-token" };
const item = (name: string) => ({
  id: `id-${name}`,
  name,
  language: "es",
  status: "APPROVED",
  category: "UTILITY",
});

/** Lists against a server and returns the names page by page. */
async function pagesOf(answer: (url: URL, request: Request) => Response): Promise<string[][]> {
  const pages: string[][] = [];
  await withHttpServer((request) => answer(new URL(request.url), request), async (apiUrl) => {
    for await (const page of listTemplates({ apiUrl, apiVersion: "v25.0" }, ACCOUNT)) {
      pages.push(page.map(({ name }) => name));
    }
  });
  return pages;
}

function isBadGateway(error: unknown): boolean {
  return error instanceof AppError && error.code === "service_unavailable" && statusOf(error) === 502;
}

async function failureOf(apiUrl: string, timeoutMs = 5000): Promise<AppError> {
  try {
    await listTemplates({ apiUrl, apiVersion: "v25.0" }, ACCOUNT, { timeoutMs }).next();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.details?.service, "whatsapp");
    assert.ok(!`${error.message} ${JSON.stringify(error.details)} ${error.cause}`.includes(ACCOUNT.token));
    return error;
  }
  throw new assert.AssertionError({ message: "nothing failed" });
}

Deno.test("listTemplates() asks for a hundred of the account's templates with the token in a header", async () => {
  const pages = await pagesOf((url, request) => {
    assert.equal(url.pathname, "/v25.0/112233/message_templates");
    assert.equal(url.searchParams.get("limit"), "100");
    assert.match(url.searchParams.get("fields") ?? "", /\bcomponents\b/);
    assert.equal(request.headers.get("authorization"), `Bearer ${ACCOUNT.token}`);
    return Response.json({ data: [item("a"), item("b")], paging: { cursors: { after: "end" } } });
  });

  assert.deepEqual(pages, [["a", "b"]]);
});

Deno.test("listTemplates() follows `next` on the same host, through an empty page", async () => {
  const pages = await pagesOf((url) => {
    const step = url.searchParams.get("after") ?? "0";
    const next = (after: string) => ({
      next: `${url.origin}/v25.0/elsewhere?after=${after}`,
      cursors: { after },
    });
    if (step === "0") return Response.json({ data: [item("a")], paging: next("1") });
    assert.equal(url.pathname, "/v25.0/elsewhere");
    if (step === "1") return Response.json({ data: [], paging: next("2") });
    return Response.json({ data: [item("c")] });
  });

  assert.deepEqual(pages, [["a"], [], ["c"]]);
});

for (const next of ["https://evil.example.test/steal?after=x", "not a URL", "file:///etc/passwd"]) {
  Deno.test(`listTemplates() goes on by the cursor when \`next\` is ${next}`, async () => {
    const pages = await pagesOf((url) => {
      assert.equal(url.pathname, "/v25.0/112233/message_templates");
      if (url.searchParams.get("after") === "two") return Response.json({ data: [item("b")], paging: {} });
      return Response.json({ data: [item("a")], paging: { next, cursors: { after: "two" } } });
    });

    assert.deepEqual(pages, [["a"], ["b"]]);
  });
}

Deno.test("listTemplates() fails rather than pass off half a list as whole: a foreign `next` without a cursor", async () => {
  const paging = { next: "https://evil.example.test/" };

  await assert.rejects(pagesOf(() => Response.json({ data: [item("a")], paging })), isBadGateway);
});

Deno.test("listTemplates() fails rather than go round in circles when a cursor comes back", async () => {
  const circling = pagesOf((url) => {
    const at = url.searchParams.get("after") ?? "first";
    const after = at === "x" ? "y" : "x";
    return Response.json({
      data: [item(at)],
      paging: { next: `${url.origin}/p?after=${after}`, cursors: { after } },
    });
  });

  await assert.rejects(circling, isBadGateway);
});

Deno.test("listTemplates() leaves out entries it cannot read and keeps odd ones", async () => {
  const odd = {
    ...item("odd"),
    id: 42,
    status: "SOMETHING_NEW",
    rejected_reason: null,
    components: "none",
    extra: {},
  };

  const pages = await pagesOf(() =>
    Response.json({ data: [null, "x", { id: "1" }, odd, { ...item("c"), name: "" }] })
  );

  assert.deepEqual(pages, [["odd"]]);
});

const REFUSALS: [why: string, response: () => Response, expected: [code: string, status: number]][] = [
  ["an expired token", () => platformError(190, 401), ["service_unavailable", 502]],
  ["a missing permission", () => platformError(200, 403), ["service_unavailable", 502]],
  ["an unknown account", () => platformError(100, 400), ["validation_failed", 400]],
  ["too many calls", () => platformError(80008, 429), ["service_unavailable", 502]],
  ["an overload", () => platformError(2, 503), ["service_unavailable", 502]],
  ["a page of a proxy", () => new Response("<html>", { status: 502 }), ["service_unavailable", 502]],
  ["200 without JSON", () => new Response("<html>"), ["service_unavailable", 502]],
  ["200 without data", () => Response.json({}), ["service_unavailable", 502]],
  [
    "a redirect",
    () => new Response(null, { status: 302, headers: { location: "/" } }),
    ["service_unavailable", 502],
  ],
];

for (const [why, response, expected] of REFUSALS) {
  Deno.test(`listTemplates() throws ${expected} for ${why}`, async () => {
    await withHttpServer(response, async (url) => {
      const error = await failureOf(url);

      assert.deepEqual([error.code, statusOf(error)], expected);
    });
  });
}

Deno.test("listTemplates() hands on how long a busy platform wants us to wait", async () => {
  await withHttpServer(() => platformError(4, 429, { "retry-after": "30" }), async (url) => {
    const error = await failureOf(url);

    assert.equal(error.retryAfterS, 30);
    assert.equal(error.details?.platform_code, 4);
  });
});

Deno.test("listTemplates() throws service_unavailable when there is no listener or no response", async () => {
  const refused = await failureOf(`http://127.0.0.1:${closedPort()}`);
  assert.deepEqual([refused.code, statusOf(refused)], ["service_unavailable", 502]);

  await withRawServer(() => {}, async (url) => {
    const silent = await failureOf(url, 50);
    assert.deepEqual([silent.code, statusOf(silent)], ["service_unavailable", 502]);
  });
});

function platformError(code: number, status: number, headers: Record<string, string> = {}): Response {
  const error = { message: `(#${code}) Title`, code, error_data: { details: `About ${ACCOUNT.token}` } };
  return Response.json({ error }, { status, headers });
}
