import { count, percent } from "../../i18n/format.ts";

export interface Step {
  name: string;
  value: number;
  /** The whole that its share is of; left out for the first step. */
  of?: { name: string; value: number };
  /** Leads to what is counted. */
  href?: string | undefined;
}

const ROW = 40;
const BAR = 12;

/** How many of a whole reached each step, as bars, numbers and one share each. */
export function Funnel({ label, steps, shareOf }: {
  label: string;
  steps: Step[];
  /** Says what a share is of: "97 % of: Sent". */
  shareOf: (share: string, of: string) => string;
}) {
  const whole = steps[0]?.value ?? 0;
  return (
    <ol class="funnel" aria-label={label}>
      {steps.map(({ name, value, of, href }) => {
        const share = of && percent(value, of.value);
        const content = (
          <>
            <span class="funnel-name">{name}</span>
            <span class="funnel-value">{count(value)}</span>
            <span class="funnel-share">{share}</span>
          </>
        );
        return (
          <li key={name} title={of && shareOf(share!, of.name)}>
            {href ? <a href={href}>{content}</a> : <span>{content}</span>}
            <svg
              class="bar"
              viewBox={`0 0 100 ${BAR}`}
              preserveAspectRatio="none"
              aria-hidden="true"
              height={ROW - 28}
            >
              <rect class="bar-track" width="100" height={BAR} />
              <rect class="bar-fill" width={whole === 0 ? 0 : (100 * value) / whole} height={BAR} />
            </svg>
          </li>
        );
      })}
    </ol>
  );
}
