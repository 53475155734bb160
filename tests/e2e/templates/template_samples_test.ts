import assert from "node:assert/strict";
import { withHttpServer } from "../../_shared/gateways/local_server.ts";
import { assertRefused } from "../assert_refused.ts";
import { createTemplate, listMade } from "./create_template.ts";
import { type Api, withApi } from "../with_api.ts";

const FIELD = "components_template.HEADER.example.header_handle";
const MEGABYTE = 1024 * 1024;

function withImage(handle: string, format = "IMAGE") {
  return {
    components_template: {
      HEADER: { format, example: { header_handle: [handle] } },
      BODY: { text: "Have a look at {1} now" },
    },
  };
}

function file(size: number, type: string): Response {
  return new Response(new Uint8Array(size).fill(7), { headers: { "content-type": type } });
}

async function withFiles(
  respond: (path: string) => Response | Promise<Response>,
  fn: (api: Api, url: string) => Promise<void>,
): Promise<void> {
  await withHttpServer(
    (request) => respond(new URL(request.url).pathname),
    (url) => withApi((api) => fn(api, url), { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } }),
  );
}

Deno.test("a media header's sample is fetched from its URL and uploaded to the platform", () =>
  withFiles(
    (path) => {
      if (path === "/image") return file(5 * MEGABYTE, "image/png");
      if (path === "/video.mp4") return file(2 * MEGABYTE, "application/octet-stream");
      return file(100, "application/pdf; version=1.7");
    },
    async (api, url) => {
      const formats: [path: string, format: string, type: string][] = [
        ["/image", "IMAGE", "image/png"],
        ["/video.mp4", "VIDEO", "video/mp4"],
        ["/paper?id=7", "DOCUMENT", "application/pdf"],
      ];
      for (const [index, [path, format, type]] of formats.entries()) {
        const changes = withImage(url + path, format);
        changes.components_template.BODY.text += ` and again${"!".repeat(index)}`;
        const { status, body } = await createTemplate(api, { ...changes, name_template: `media_${index}` });

        assert.equal(status, 200, JSON.stringify(body));
        const made = (await listMade(api)).find(({ id }) => id === body.template.id)!;
        const [handle] = made.components[0].example.header_handle;
        assert.match(handle, /^4::/);
        assert.equal(atob(handle.split(":")[2]), type);
        const query = { access_key: api.key.key, template: body.template.id };
        const listed = await api.http.get("/notify/template/components", { query });
        assert.deepEqual(listed.body.components, [`header_${format.toLowerCase()}`, "body_text_0"]);
      }
    },
  ));

Deno.test("a sample that cannot be had or used is refused with the reason, and nothing is submitted", () =>
  withFiles(
    (path) => {
      if (path === "/moved") return Response.redirect("http://127.0.0.1:1/elsewhere", 302);
      if (path === "/gif") return file(10, "image/gif");
      if (path === "/empty") return file(0, "image/png");
      if (path === "/large") return file(5 * MEGABYTE + 1, "image/png");
      return new Response("no", { status: 404 });
    },
    async (api, url) => {
      const reasons: [path: string, reason: RegExp][] = [
        ["/moved", /HTTP 302/],
        ["/gone", /HTTP 404/],
        ["/gif", /image\/gif, not image\/jpeg or image\/png/],
        ["/empty", /empty/],
        ["/large", /larger than 5 MB/],
      ];
      for (const [path, reason] of reasons) {
        const response = await createTemplate(api, withImage(url + path));
        assertRefused(response, { status: 400, error: "validation_failed" });
        assert.equal(response.body.details.field, FIELD);
        assert.match(response.body.message, reason);
      }
      assert.deepEqual(await listMade(api), []);
      assert.equal((await api.sql`select 1 from outbound.template_submissions`).length, 0);
    },
  ));

Deno.test("a sample of unknown length is uploaded as well, and one that breaks off is refused with the reason", () => {
  const unknown = (size: number, isCut = false) =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (size-- > 0) controller.enqueue(new Uint8Array(1000));
        else if (isCut) controller.error(new Error("cut"));
        else controller.close();
      },
    });
  const headers = { "content-type": "image/png" };
  return withFiles((path) => new Response(unknown(30, path === "/cut"), { headers }), async (api, url) => {
    const cut = await createTemplate(api, withImage(`${url}/cut`));
    assertRefused(cut, { status: 400, error: "validation_failed" });
    assert.match(cut.body.message, /broke|not HTTP/);

    assert.equal((await createTemplate(api, withImage(`${url}/whole`))).status, 200);
  });
});

Deno.test("of one company's samples one is uploaded at a time, four wait, and more get a time to come back", () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  let [underWay, most] = [0, 0];
  const respond = async () => {
    most = Math.max(most, ++underWay);
    asked.resolve();
    await released;
    underWay--;
    return file(10, "image/png");
  };
  return withFiles(respond, async (api, url) => {
    const send = (number: number) => {
      const changes = { ...withImage(url), name_template: `sample_${number}` };
      changes.components_template.BODY.text += "!".repeat(number);
      return createTemplate(api, changes);
    };
    const requests = Array.from({ length: 6 }, (_, number) => send(number));
    await asked.promise;
    const refused = await Promise.race(requests);
    assertRefused(refused, { status: 429, error: "rate_limit_exceeded" });
    assert.equal(refused.headers.get("retry-after"), "10");

    release();
    const statuses = (await Promise.all(requests)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
    assert.equal(most, 1);
  });
});

Deno.test("a sample is fetched from public addresses over https only", () =>
  withHttpServer(() => file(10, "image/png"), (url) =>
    withApi(async (api) => {
      const addresses = [
        url,
        "https://127.0.0.1/a.png",
        "https://localhost/a.png",
        "https://[::1]/a.png",
        "https://10.0.0.1/a.png",
        "https://169.254.169.254/latest/meta-data",
        "https://user:secret@example.com/a.png",
      ];
      for (const address of addresses) {
        const response = await createTemplate(api, withImage(address));
        assertRefused(response, { status: 400, error: "validation_failed" }, address);
        assert.equal(response.body.details.field, FIELD, address);
      }
    })));

Deno.test("a sample that the platform does not take is reported, and the template can be sent again", () =>
  withFiles(() => file(10, "image/png"), async (api, url) => {
    const wrong = await createTemplate(api, withImage("4::dmlkZW8vbXA0:ARZ"));
    assertRefused(wrong, { status: 400, error: "validation_failed" });
    assert.match(wrong.body.message, /HTTP|header: IMAGE needs/);

    assert.equal((await createTemplate(api, withImage(url))).status, 200);
  }));
