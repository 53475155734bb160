import assert from "node:assert/strict";
import { updateCompany } from "../../../cli/company/actions.ts";
import { rotateKey, setKeyActive } from "../../setup/fixtures/keys.ts";
import { setMaintenance } from "../../../cli/maintenance.ts";
import { setTemplateStatus } from "../../../cli/template/actions.ts";
import { type Services, servicesOfAllCells } from "../../../supabase/functions/_shared/services.ts";
import { eventually } from "../../setup/eventually.ts";
import { BASE_PATH } from "../../setup/http/http.ts";
import { assertRefused, assertRefusedShortly } from "../assert_refused.ts";
import { assertNothingStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";

/** A good request of every endpoint that takes a company's key. */
async function askAll({ http, notify, sender, template }: Api, access_key: string, campaign_id: string) {
  return {
    notify: await notify({}, { query: { access_key } }),
    status: await http.get("/notify/status", { query: { access_key, campaign_id } }),
    templates: await http.get("/notify/templates", { query: { access_key, phone_number: sender.number } }),
    components: await http.get("/notify/template/components", {
      query: { access_key, template: template.name },
    }),
  };
}

async function assertKeyRefused(api: Api, key: string, campaignId: string): Promise<void> {
  const { status, ...others } = await askAll(api, key, campaignId);
  assertRefusedShortly(status, 404, "Invalid access_key");
  for (const [name, response] of Object.entries(others)) {
    assertRefused(response, { status: 401, error: "unauthorized" }, name);
  }
}

async function assertKeyGood(api: Api, key: string, campaignId: string): Promise<void> {
  for (const [name, response] of Object.entries(await askAll(api, key, campaignId))) {
    assert.equal(response.status, 200, `${name}: ${JSON.stringify(response.body)}`);
  }
}

Deno.test("a revoked key is refused by every endpoint with the very next request, until it is activated", () =>
  withApi(async (api) => {
    const { key, company, services } = api;
    const { body: { inquiry_set_id } } = await api.notify();
    await assertKeyGood(api, key.key, inquiry_set_id);
    await setKeyActive(services, { companyId: company.id, isActive: false });
    await assertNothingStored(api.sql, () => assertKeyRefused(api, key.key, inquiry_set_id));
    await setKeyActive(services, { companyId: company.id, isActive: true });
    // An unknown key is refused from memory for a second.
    await eventually(() => assertKeyGood(api, key.key, inquiry_set_id));
  }));

Deno.test("a rotated key is refused at once, its successor is good for the company's old campaigns", () =>
  withApi(async (api) => {
    const { body: { inquiry_set_id } } = await api.notify();
    const { key } = await rotateKey(api.services, { companyId: api.company.id });

    await assertKeyRefused(api, api.key.key, inquiry_set_id);
    await assertKeyGood(api, key, inquiry_set_id);
  }));

Deno.test("a company without API access sends nothing, and may still read", () =>
  withApi(async (api) => {
    const { key, company, services } = api;
    const { body: { inquiry_set_id } } = await api.notify();
    await updateCompany(services, { companyId: company.id, api_access: false });
    await assertNothingStored(api.sql, async () => {
      const { notify, ...reads } = await askAll(api, key.key, inquiry_set_id);
      assertRefusedShortly(notify, 403, "API access is switched off for this company");
      for (const [name, { status }] of Object.entries(reads)) assert.equal(status, 200, name);
    });
    await updateCompany(services, { companyId: company.id, api_access: true });
    // A key that may not call is refused from memory for a second.
    await eventually(() => assertKeyGood(api, key.key, inquiry_set_id));
  }));

Deno.test("a permission that is taken away is gone with the next request", () =>
  withApi(async (api) => {
    assert.equal((await api.notify()).status, 200);
    await api.sql`update outbound.api_keys set permissions = '{voice_notifications}'`;
    await assertNothingStored(api.sql, async () => {
      const message = "This access key lacks the permission 'chatapp_notifications'";
      assertRefusedShortly(await api.notify(), 403, message);
    });
  }));

Deno.test("a template that is disabled or changed right after it was used does not slip through", () =>
  withApi(async (api) => {
    const { template, services, sql } = api;
    for (const status of ["disabled", "rejected", "pending"] as const) {
      assert.equal((await api.notify()).status, 200);
      await setTemplateStatus(services, { companyId: api.company.id, template: template.name, status });
      await assertNothingStored(sql, async () => {
        const details = { template_name: template.name, current_status: status, required_status: "approved" };
        assertRefused(await api.notify(), { status: 422, error: "template_not_approved", details });
      });
      await setTemplateStatus(services, {
        companyId: api.company.id,
        template: template.name,
        status: "approved",
      });
    }
    assert.equal((await api.notify()).status, 200);
    await sql`update outbound.templates set components = '[{"type":"BODY","text":"Hi {{1}}"}]'`;
    const response = await api.notify();
    assertRefused(response, { status: 422, error: "variable_mismatch" });
    assert.deepEqual(response.body.details.unexpected, ["body_text_1"]);
    await sql`delete from outbound.templates`;
    assertRefused(await api.notify(), { status: 404, error: "template_not_found" });
  }));

Deno.test("a template that is approved after it was refused can be sent at once", () =>
  withApi(async (api) => {
    const { template, services } = api;
    const reference = { companyId: api.company.id, template: template.name };
    await setTemplateStatus(services, { ...reference, status: "pending" });
    assert.equal((await api.notify()).status, 422);
    await setTemplateStatus(services, { ...reference, status: "approved" });
    assert.equal((await api.notify()).status, 200);
  }));

/** Switches maintenance in all cells, as the command does; returns the state of the first. */
async function setEverywhere(services: Services, change: Parameters<typeof setMaintenance>[1]) {
  const [state] = await Promise.all(servicesOfAllCells(services).map((cell) => setMaintenance(cell, change)));
  return state!;
}

/** The process knows of a switch at once, not within its time. */
async function refreshMaintenance(services: Services) {
  await Promise.all(
    servicesOfAllCells(services).map(({ maintenance }) => maintenance.refresh("maintenance")),
  );
}

/** Every endpoint that maintenance closes. */
const CLOSED: [method: string, path: string][] = [
  ["POST", "/auth?grant_type=password"],
  ["POST", "/api_keys"],
  ["POST", "/notify"],
  ["GET", "/notify/status"],
  ["GET", "/notify/templates"],
  ["GET", "/notify/template/components"],
  ["POST", "/admin/chatapp/create/template"],
];

Deno.test("during maintenance every route responds with 503 and the window, except to the platform and to health checks", () =>
  withApi(async ({ http, notify, services, sql }) => {
    const end = new Date(Date.now() + 600_000);
    const { since } = await setEverywhere(services, { on: true, until: end });
    await eventually(async () => assert.equal((await http.get("/notify/status")).status, 503));
    await assertNothingStored(sql, async () => {
      for (const [method, path] of CLOSED) {
        const response = await http.request(method, path);
        const details = { maintenance_window: { start: since, end: end.toISOString() } };
        if (path === "/notify/status") {
          const message = "The service is under maintenance";
          assert.deepEqual([response.status, response.body], [503, { success: false, message, details }]);
          continue;
        }
        assertRefused(response, { status: 503, error: "service_unavailable", details }, path);
        assert.ok(response.body.retry_after > 500 && response.body.retry_after <= 600, path);
      }
      assert.equal((await notify()).status, 503);
    });
    assert.equal((await http.get("/health")).status, 200);
    assert.equal((await http.post("/webhooks/whatsapp", {})).status, 401);
    assert.equal((await http.post("/dispatch")).status, 401);
  }));

Deno.test("maintenance leaves the widgets' endpoints readable to pages of any origin, and responds to their preflight", () =>
  withApi(async ({ http, services, url }) => {
    await setEverywhere(services, { on: true });
    await refreshMaintenance(services);
    const origin = { origin: "https://shop.example" };
    for (const path of ["/widget", "/widgetWebView", "/voice-widget", "/voice-widget/signed-url"]) {
      const headers = { ...origin, "access-control-request-method": "GET" };
      const preflight = await fetch(`${url}${BASE_PATH}${path}`, { method: "OPTIONS", headers });
      const refused = await http.get(path, { headers: origin });

      assert.deepEqual([preflight.status, await preflight.text()], [204, ""], path);
      assertRefused(refused, { status: 503, error: "service_unavailable" }, path);
      for (const { headers } of [preflight, refused]) {
        assert.equal(headers.get("access-control-allow-origin"), "*", path);
      }
    }
  }));

Deno.test("maintenance ends when it is switched off, or by itself at its end", () =>
  withApi(async ({ http, notify, services }) => {
    await setEverywhere(services, { on: true });
    await eventually(async () => {
      const { body } = await http.get("/notify/templates");
      assert.equal(body.details?.maintenance_window.end, null);
    });
    await setEverywhere(services, { on: false });
    await eventually(async () => assert.equal((await notify()).status, 200));
    await setEverywhere(services, { on: true, until: new Date(Date.now() - 1) });
    await refreshMaintenance(services);
    assert.equal((await notify()).status, 200);
  }));
