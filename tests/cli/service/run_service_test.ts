import assert from "node:assert/strict";
import { runService } from "../../../cli/service/run_service.ts";
import { openConversation } from "../../../supabase/functions/_shared/db/widgets/conversations.ts";
import { loadEnv } from "../../../supabase/functions/_shared/env.ts";
import { createServices } from "../../../supabase/functions/_shared/services.ts";
import { newVisitorToken } from "../../../supabase/functions/_shared/widgets/conversation_rules.ts";
import { withManage } from "../../manage/with_manage.ts";
import { followChat } from "../../e2e/widgets/follow_chat.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { BASE_PATH } from "../../setup/http/http.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";

Deno.test("runService() stops at once although event streams are open", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const widget = await insertWidget(sql, companyId);
    const { token, hash } = newVisitorToken(crypto.randomUUID());
    const visitor = {
      userId: crypto.randomUUID(),
      tokenHash: hash,
      language: null,
      pageUrl: null,
      pageTitle: null,
    };
    const opened = await openConversation(sql, { companyId, widgetId: widget.id, ...visitor });
    const services = createServices(loadEnv({ ...TEST_ENV, DATABASE_URL: url }));
    const running = await runService(services, { hostname: "127.0.0.1", port: 0 });
    const headers = { authorization: `Bearer ${token}` };
    const page = await followChat(`http://127.0.0.1:${running.port}`, opened.id!, { headers });

    const started = performance.now();
    await running.stop();
    await page.ended;

    assert.ok(performance.now() - started < 5000);
  }));

Deno.test("runService() stops at once although a member follows a company", () =>
  withManage(async ({ services, company, members }) => {
    const running = await runService(createServices(services.env), { hostname: "127.0.0.1", port: 0 });
    const url = `http://127.0.0.1:${running.port}${BASE_PATH}/manage/companies/${company.id}/events`;
    const headers = { accept: "text/event-stream", authorization: `Bearer ${members.viewer.token}` };
    const reader = (await fetch(url, { headers })).body!.getReader();
    await reader.read();

    const started = performance.now();
    await running.stop();
    while (!(await reader.read()).done);

    assert.ok(performance.now() - started < 5000);
  }));
