import { useEffect, useState } from "preact/hooks";
import { changeQuery, route } from "../../../data/route.ts";
import { session } from "../../../data/session/session.ts";
import { Button } from "../../../components/button.tsx";
import { memberName } from "../../../components/author.ts";
import { Field, Select } from "../../../components/form/fields.tsx";
import { SavedViews } from "../../../components/views/saved_views.tsx";
import { type InboxFilters, useAssignees, type View } from "../inbox_data.ts";
import { useKnownLabels } from "../known_labels.ts";
import { words } from "../../../i18n/words.ts";

/** Long enough to type on, short enough to seem immediate. */
const TYPING_MS = 300;

const NAMES = ["kind", "label", "assigned_to", "contact_id"] as const;

/** Returns what the address narrows the list to. */
export function narrowedBy(query: Record<string, string>): InboxFilters {
  return Object.fromEntries(NAMES.map((name) => [name, query[name]]));
}

/** Search and filters above the list; all of them are in the address. */
export function ListFilters({ view }: { view: View }) {
  const { query } = route.value;
  return (
    <div class="filters" role="search">
      <SearchField />
      {!query.q && <Choices view={view} />}
      <SavedViews screen="conversations" path={["inbox"]} filters={["view", "q", ...NAMES]} />
    </div>
  );
}

function Choices({ view }: { view: View }) {
  const { query } = route.value;
  const members = useAssignees() ?? [];
  const labels = useKnownLabels(query.label);
  const me = session.value?.userId ?? "";
  const { kind, kinds, label, member, unassigned, myself, onePerson } = words().inbox;
  const others = members.filter(({ user_id, role }) => user_id !== me && role !== "viewer");
  const choose = (name: string) => (value: string) => changeQuery({ [name]: value });
  return (
    <>
      <Select
        label={kind}
        hideLabel
        value={query.kind ?? ""}
        options={[["", kind], ["chat", kinds.chat], ["whatsapp", kinds.whatsapp]]}
        onChange={choose("kind")}
      />
      {view !== "mine" && (
        <Select
          label={member}
          hideLabel
          value={query.assigned_to ?? ""}
          options={[
            ["", member],
            ["none", unassigned],
            [me, myself],
            ...others.map((member) => [member.user_id, memberName(member)] as const),
          ]}
          onChange={choose("assigned_to")}
        />
      )}
      {labels.length > 0 && (
        <Select
          label={label}
          hideLabel
          value={query.label ?? ""}
          options={[["", label], ...labels.map((each) => [each, each] as const)]}
          onChange={choose("label")}
        />
      )}
      {query.contact_id && (
        <Button
          kind="quiet"
          icon="close"
          onPress={() => changeQuery({ contact_id: undefined })}
        >
          {onePerson}
        </Button>
      )}
    </>
  );
}

function SearchField() {
  const given = route.value.query.q ?? "";
  const [typed, setTyped] = useState(given);
  useEffect(() => setTyped(given), [given]);
  useEffect(() => {
    if (typed.trim() === given) return;
    const timer = setTimeout(() => changeQuery({ q: typed.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { search, searchHint } = words().inbox;
  return (
    <Field
      type="search"
      label={search}
      hideLabel
      placeholder={searchHint}
      value={typed}
      onChange={setTyped}
    />
  );
}
