import { useEffect, useState } from "preact/hooks";
import { useLists } from "../../../data/people.ts";
import { Button } from "../../../components/button.tsx";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { Select } from "../../../components/form/fields.tsx";
import { TagField } from "../../../components/form/tags_field.tsx";
import { count } from "../../../i18n/format.ts";
import type { Audience } from "../draft.ts";
import { useAudienceCount, useEarlierCampaigns } from "./audience_data.ts";
import { words } from "../../../i18n/words.ts";

/** Long enough to type on. */
const TYPING_MS = 400;

/** The stored people that it goes to, how many they are, and who is left out. */
export function AudienceFields({ audience, counted, onChange }: {
  audience: Audience;
  counted: { channel: "whatsapp" | "voice"; category: "marketing" | "all" };
  onChange: (audience: Audience) => void;
}) {
  const { data: lists } = useLists();
  const names = words().compose;
  return (
    <div class="form">
      <div class="form-row">
        {audience.kind === "list" && (
          <Select
            label={names.audience.list}
            help={lists?.length === 0 ? names.audience.noLists : undefined}
            value={audience.listId}
            options={[
              ["", names.choose],
              ...(lists ?? []).map(({ list_id, name }) => [list_id, name] as const),
            ]}
            onChange={(listId) => onChange({ ...audience, listId })}
          />
        )}
        {audience.kind === "tag" && (
          <AudienceTag
            tag={audience.tag}
            onChange={(tag) => onChange({ ...audience, tag })}
          />
        )}
        <ExceptField audience={audience} onChange={(except) => onChange({ ...audience, except })} />
      </div>
      <Reach audience={audience} counted={counted} />
    </div>
  );
}

/** Does not count for half a word. */
function AudienceTag({ tag, onChange }: { tag: string; onChange: (tag: string) => void }) {
  const [typed, setTyped] = useState(tag);
  useEffect(() => {
    if (typed === tag) return;
    const timer = setTimeout(() => onChange(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <TagField label={words().compose.audience.tagName} value={typed} onChange={setTyped} />;
}

function ExceptField({ audience: { except, ...audience }, onChange }: {
  audience: Audience;
  onChange: (except: Audience["except"]) => void;
}) {
  const { data: lists = [] } = useLists();
  const campaigns = useEarlierCampaigns();
  const names = words().compose.audience;
  const idOf = (each: Audience["except"][number]) => "list_id" in each ? each.list_id : each.campaign_id;
  const options = new Map<string, { name: string; except: Audience["except"][number] }>([
    ...lists.filter(({ list_id }) => audience.kind !== "list" || list_id !== audience.listId)
      .map(({ list_id, name }) => [list_id, { name: names.exceptList(name), except: { list_id } }] as const),
    ...campaigns.map(({ campaign_id, campaign_name }) =>
      [campaign_id, { name: names.exceptCampaign(campaign_name || "–"), except: { campaign_id } }] as const
    ),
  ]);
  const free = [...options].filter(([id]) => !except.some((each) => idOf(each) === id));
  return (
    <div>
      <Select
        label={names.except}
        help={names.exceptHelp}
        value=""
        options={[["", names.noExcept], ...free.map(([id, { name }]) => [id, name] as const)]}
        onChange={(id) => id && onChange([...except, options.get(id)!.except])}
      />
      {except.length > 0 && (
        <ul class="lines">
          {except.map((each) => (
            <li key={idOf(each)}>
              <span>{options.get(idOf(each))?.name ?? "–"}</span>
              <Button kind="quiet" onPress={() => onChange(except.filter((other) => other !== each))}>
                {words().common.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Reach({ audience, counted }: Pick<Parameters<typeof AudienceFields>[0], "audience" | "counted">) {
  const { data, problem, reload } = useAudienceCount(audience, counted);
  const names = words().compose.audience;
  if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
  if (data === undefined) return null;
  return (
    <p role="status">
      {[
        names.count(data.count, count(data.reachable)),
        data.opted_out > 0 && names.optedOut(data.opted_out),
        data.without_address > 0 && names.noAddress(data.without_address),
      ].filter(Boolean).join(" · ")}
    </p>
  );
}
