import { useEffect, useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link, may } from "../../data/company.ts";
import { readPreference, writePreference } from "../../data/preferences.ts";
import { useQuery } from "../../data/query.ts";
import { listManagedTemplates, listMembers, listSenders, type Overview } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Section } from "../../components/page_head.tsx";
import { words } from "../../i18n/words.ts";

/** The steps of a new company, in their order, and where each is done. */
const STEPS = {
  number: ["senders"],
  template: ["templates"],
  test: ["compose"],
  webhook: ["webhooks"],
  colleague: ["members"],
} as const;

type Step = keyof typeof STEPS;

/** Lists the steps that are left until the company sends; gone for good once all is done, or it was hidden. */
export function FirstSteps({ overview, hasSent }: { overview: Overview; hasSent: boolean }) {
  const name = `first-steps.${companyId()}`;
  const [isOver, setOver] = useState(!may("operator") || readPreference(name) === "over");
  return isOver ? null : (
    <Steps
      overview={overview}
      hasSent={hasSent}
      onOver={() => {
        writePreference(name, "over");
        setOver(true);
      }}
    />
  );
}

function Steps({ overview, hasSent, onOver }: { overview: Overview; hasSent: boolean; onOver: () => void }) {
  const company_id = companyId();
  const { data } = useQuery(`first steps ${company_id}`, async (signal) => {
    const request = { client: api(), path: { company_id }, signal };
    const [senders, templates, members] = await Promise.all([
      ask(listSenders({ ...request, query: { limit: 1 } })),
      ask(listManagedTemplates({ ...request, query: { status: "approved", limit: 1 } })),
      // Owners alone may see them, and invite.
      may("owner") ? ask(listMembers(request)) : undefined,
    ]);
    return {
      number: senders.senders.length > 0,
      template: templates.templates.length > 0,
      colleague: members && members.members.length > 1,
    };
  });
  const names = words().overview;
  const done: Partial<Record<Step, boolean | undefined>> = data
    ? { ...data, test: hasSent, webhook: overview.webhook !== null }
    : {};
  const steps = (Object.keys(STEPS) as Step[]).filter((step) => done[step] !== undefined);
  const isDone = data !== undefined && steps.every((step) => done[step]);
  useEffect(() => {
    if (isDone) onOver();
  }, [isDone]);
  if (data === undefined || isDone) return null;
  return (
    <Section title={names.first} actions={<Button kind="quiet" onPress={onOver}>{names.hide}</Button>}>
      <ol class="lines first-steps">
        {steps.map((step) => (
          <li key={step} class={done[step] ? "done" : undefined}>
            <span class="step-mark">{done[step] && <Icon name="check" />}</span>
            {done[step]
              ? (
                <span>
                  {names.steps[step]}
                  <span class="unseen">{names.stepDone}</span>
                </span>
              )
              : <a href={link([...STEPS[step]])}>{names.steps[step]}</a>}
          </li>
        ))}
      </ol>
    </Section>
  );
}
