import { link } from "../../data/company.ts";
import { isAddress } from "../../data/addresses.ts";
import { route } from "../../data/route.ts";
import { isLikeNumber } from "../../data/contact_text.ts";
import { useLists, useTags } from "../../data/people.ts";
import { Empty } from "../../components/empty.tsx";
import { type Filter, FilterBar } from "../../components/form/filter_bar.tsx";
import { SavedViews } from "../../components/views/saved_views.tsx";
import { PeopleTable } from "./people_table.tsx";
import { UnknownAddress } from "./unknown_address.tsx";
import { words } from "../../i18n/words.ts";

/** All contacts of the company, to search, to filter and to choose from. */
export function People() {
  const { search, tag, list_id, state } = route.value.query;
  const lists = useLists().data ?? [];
  const tags = useTags();
  const names = words().contacts;
  const filters: Filter[] = [
    { kind: "text", name: "search", label: names.search, placeholder: names.searchHint },
    { kind: "text", name: "tag", label: names.tag, suggestions: tags },
    {
      kind: "choice",
      name: "list_id",
      label: names.list,
      options: lists.map((list) => [list.list_id, list.name] as const),
    },
    { kind: "choice", name: "state", label: names.state, options: Object.entries(names.states) },
  ];
  const isFiltered = filters.some(({ name }) => route.value.query[name]);
  return (
    <PeopleTable
      filters={{ search, tag, list_id, state }}
      bar={(actions) => (
        <FilterBar filters={filters}>
          {actions}
          <SavedViews screen="contacts" path={["contacts"]} filters={filters.map(({ name }) => name)} />
        </FilterBar>
      )}
      empty={search && (isLikeNumber(search) || isAddress(search.trim()))
        ? <UnknownAddress key={search} typed={search} />
        : isFiltered
        ? <Empty title={names.noneLike} />
        : (
          <Empty title={names.nonePeople}>
            {names.nonePeopleHelp} <a href={link(["settings"])}>{words().settings.title}</a>
          </Empty>
        )}
    />
  );
}
