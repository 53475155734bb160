import type { ManagedTemplate } from "../../data/sdk.ts";
import { Notice } from "../../components/notice.tsx";
import { Section } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { useActorNames } from "../audit/actor_names.ts";
import { TechnicalDetails } from "../../components/failure_reason.tsx";
import { useTemplateAudit } from "./template_data.ts";
import { words } from "../../i18n/words.ts";

/** Explains the state of a template, and says what to do. */
export function Verdict(
  { template: { status, rejected_reason: reason, quality } }: { template: ManagedTemplate },
) {
  const names = words().template;
  if (status === "pending") return <Notice title={names.pending}>{names.pendingHelp}</Notice>;
  if (status === "rejected") {
    return (
      <Notice tone="bad" title={names.rejected}>
        {names.reasons[reason ?? ""] ?? names.otherReason} {names.resubmitHelp}
        <TechnicalDetails code={reason} />
      </Notice>
    );
  }
  if (status === "disabled") {
    return (
      <Notice tone="bad" title={names.disabled}>
        {names.disabledHelp}
        <TechnicalDetails code={reason} />
      </Notice>
    );
  }
  if (quality === "RED") return <Notice title={names.lowQuality}>{names.lowQualityHelp}</Notice>;
  return null;
}

/** The history of a template, the latest first. */
export function History({ template }: { template: ManagedTemplate }) {
  const { data: audit = [] } = useTemplateAudit(template.template_id);
  const nameOf = useActorNames();
  const names = words().template;
  const steps = audit.filter(({ action }) =>
    action === "template.submitted" || action === "template.status_set"
  );
  const { status, status_since, updated_at } = template;
  return (
    <Section title={names.history}>
      <ol class="timeline">
        <li>
          <StatusBadge of="template" status={status} /> <Time at={status_since ?? updated_at} />
        </li>
        {steps.map(({ id, at, action, actor, after }) => (
          <li key={id}>
            {action === "template.submitted" ? names.submitted : (
              <>
                {names.setByHand}: <StatusBadge of="template" status={String(after?.status)} />
              </>
            )} <Time at={at} /> <span class="help">{names.by(nameOf(actor))}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
