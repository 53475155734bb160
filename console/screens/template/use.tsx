import { Figure, Figures } from "../../components/facts.tsx";
import { Section } from "../../components/page_head.tsx";
import { count, percent } from "../../i18n/format.ts";
import { useTemplateUse } from "../templates/template_list.ts";
import { words } from "../../i18n/words.ts";

/** How often it was sent lately, and how people took it. */
export function Use({ templateId }: { templateId: string }) {
  const use = useTemplateUse(templateId)?.get(templateId);
  const names = words().template;
  const { sent, delivered, read, replied } = words().campaign;
  if (use === undefined || use.sent === 0) return null;
  const share = (part: number) => names.useNote(percent(part, use.sent));
  return (
    <Section title={names.use}>
      <Figures>
        <Figure name={sent} value={count(use.sent)} />
        <Figure name={delivered} value={count(use.delivered)} note={share(use.delivered)} />
        <Figure name={read} value={count(use.read)} note={share(use.read)} />
        <Figure name={replied} value={count(use.replied)} note={share(use.replied)} />
      </Figures>
    </Section>
  );
}
