import { link, maySend } from "../../data/company.ts";
import type { ManagedTemplate } from "../../data/sdk.ts";
import { messageOf } from "../../data/template_message.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Copy } from "../../components/copy.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { PageHead, Section } from "../../components/page_head.tsx";
import { PhonePreview } from "../../components/phone_preview.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { History, Verdict } from "./review.tsx";
import { examplesOf, useTemplate } from "./template_data.ts";
import { Use } from "./use.tsx";
import { ValueTable } from "./value_table.tsx";
import { Versions } from "./versions.tsx";
import { words } from "../../i18n/words.ts";

/** One template: how it looks, what its review said, and what a message supplies. */
export default function Template({ params }: { params: Record<string, string> }) {
  const { data: template, problem, reload } = useTemplate(params.template_id!);
  if (template === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const names = words().template;
  const { name, language, category, status, held_campaigns } = template;
  return (
    <>
      <PageHead
        title={name}
        above={{ title: words().templates.title, href: link(["templates"]) }}
        badge={<StatusBadge of="template" status={status} />}
        facts={
          <>
            <span>{language}</span>
            <span>{words().templates.categories[category] ?? category}</span>
            {held_campaigns > 0 && (
              <a href={link(["campaigns"], { open: "true" })}>{names.held(held_campaigns)}</a>
            )}
          </>
        }
        actions={maySend() && <Actions template={template} />}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <Verdict template={template} />
      <div class="beside">
        <div>
          <Use templateId={template.template_id} />
          <History template={template} />
          <Versions template={template} />
          <ValueTable template={template} />
          <About template={template} />
        </div>
        <aside>
          <PhonePreview label={names.preview} message={messageOf(template, examplesOf(template))} />
          <p class="help">{names.previewHelp}</p>
        </aside>
      </div>
    </>
  );
}

function Actions({ template: { status, template_id } }: { template: ManagedTemplate }) {
  const names = words().template;
  const toNew = link(["templates", "new"], { from: template_id });
  const toLanguage = link(["templates", "new"], { from: template_id, as: "language" });
  if (status === "approved") {
    return (
      <>
        <ButtonLink href={toLanguage}>{names.addLanguage}</ButtonLink>
        <ButtonLink href={toNew}>{names.copy}</ButtonLink>
        <ButtonLink kind="main" href={link(["compose"], { template: template_id })}>{names.send}</ButtonLink>
      </>
    );
  }
  return status === "rejected"
    ? <ButtonLink kind="main" href={toNew}>{names.correct}</ButtonLink>
    : <ButtonLink href={toNew}>{names.copy}</ButtonLink>;
}

function About({ template }: { template: ManagedTemplate }) {
  const names = words().template;
  const { template_id, platform_template_id, waba_id, quality } = template;
  return (
    <Section title={names.facts}>
      <Facts>
        <Fact name={words().templates.quality}>
          {quality && (words().templates.qualities[quality] ?? quality)}
        </Fact>
        <Fact name={names.id}>
          <span class="with-copy">
            <code>{template_id}</code>
            <Copy text={template_id} />
          </span>
        </Fact>
        <Fact name={names.platformId}>{platform_template_id && <code>{platform_template_id}</code>}</Fact>
        <Fact name={names.account}>
          <code>{waba_id}</code>
        </Fact>
      </Facts>
    </Section>
  );
}
