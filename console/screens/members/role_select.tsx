import type { Role } from "../../data/company.ts";
import { Select } from "../../components/fields.tsx";
import { words as shared } from "../../i18n/words.ts";
import { words } from "./words.ts";

/** A choice of a role, with what it allows. */
export function RoleSelect({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const names = words();
  return (
    <Select
      label={names.role}
      value={value}
      help={names.roleHelp[value]}
      options={Object.entries(shared().roles) as [Role, string][]}
      onChange={onChange}
    />
  );
}
