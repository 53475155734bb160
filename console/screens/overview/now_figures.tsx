import { link } from "../../data/company.ts";
import type { Overview } from "../../data/sdk.ts";
import { Figure, Figures } from "../../components/facts.tsx";
import { count, duration, money } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** The figures of this moment. */
export function NowFigures({ overview }: { overview: Overview | undefined }) {
  const names = words().overview;
  if (overview === undefined) return <div class="figures loading" aria-hidden="true" />;
  const { campaigns: { sending, paused, scheduled }, waiting, wait, oldest_wait_s } = overview;
  const troubled = overview.senders_in_trouble.length;
  return (
    <Figures>
      <Figure
        name={names.open}
        value={count(sending + paused + scheduled)}
        note={names.openNote(paused, scheduled)}
        href={link(["campaigns"], { open: "true" })}
      />
      <Figure
        name={names.waiting}
        value={count(waiting)}
        note={oldest_wait_s !== null
          ? names.waitingNote(duration(oldest_wait_s))
          : wait
          ? undefined
          : names.noWait}
      />
      <Figure
        name={names.calls}
        value={count(overview.ongoing_calls)}
        href={link(["calls"], { ongoing: "true" })}
      />
      <Figure
        name={names.senders}
        value={count(troubled)}
        isBad={troubled > 0}
        note={troubled === 0 ? names.noTrouble : undefined}
        href={link(["senders"])}
      />
      <WebhookFigure webhook={overview.webhook} />
      {overview.budget && <BudgetFigure budget={overview.budget} />}
    </Figures>
  );
}

/** Whether the company's own system receives its events. */
function WebhookFigure({ webhook }: Pick<Overview, "webhook">) {
  const names = words().overview;
  const href = link(["webhooks"]);
  if (webhook === null) {
    return <Figure name={names.webhook} value={names.noWebhook} note={names.noWebhookNote} href={href} />;
  }
  const { state, failures, reason } = webhook;
  const notes = {
    working: names.webhookWorks,
    failing: names.webhookFailures(count(failures)),
    stopped: reason === null ? names.webhookStopped : names.webhookGone,
  };
  return (
    <Figure
      name={names.webhook}
      value={names.webhookStates[state]}
      note={notes[state]}
      href={href}
      isBad={state !== "working"}
    />
  );
}

/** Shows the expenses of this month, and their bound. */
function BudgetFigure({ budget }: { budget: NonNullable<Overview["budget"]> }) {
  const names = words().overview;
  const { spent, limit, warn, currency, state } = budget;
  const bound = limit ?? warn;
  return (
    <Figure
      name={names.budget}
      value={money(spent, currency)}
      note={bound === null ? names.budgetStates[state] : names.budgetOf(money(bound, currency), state)}
      isBad={state !== "within"}
      href={link(["settings"])}
    />
  );
}
