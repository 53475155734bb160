import { type Actor, writeAudit } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { AttributeType } from "../../people/attributes.ts";
import type { Person } from "../../people/person.ts";

/** An attribute of a company's contacts. */
export interface Attribute {
  name: string;
  type: AttributeType;
}

/** Returns the attributes of a company's contacts, by name. */
export async function readAttributes(sql: Sql, companyId: string): Promise<Attribute[]> {
  return [
    ...await sql<Attribute[]>`
      select name, type from outbound.contact_attributes where company_id = ${companyId} order by name`,
  ];
}

/** Adds attributes that the company does not have, with a row in the audit. Returns how many are new. */
export async function addAttributes(
  sql: Sql,
  companyId: string,
  attributes: Attribute[],
  by: Actor,
): Promise<number> {
  const added = await sql<{ name: string }[]>`
    insert into outbound.contact_attributes (company_id, name, type)
    select ${companyId}, n.name, n.type
    from jsonb_to_recordset(${jsonParameter(sql, attributes)}) as n(name text, type text) order by n.name
    on conflict on constraint contact_attributes_pkey do nothing returning name`;
  if (added.length === 0) return 0;
  const after = { names: added.map(({ name }) => name) };
  await writeAudit(sql, companyId, { ...by, action: "contact_attributes.added", after });
  return added.length;
}

/** A value that its attribute cannot hold. */
export interface UnfitAttribute extends Attribute {
  /** The person, from 1. */
  ord: number;
}

/** Returns the values of people that the attributes of the company cannot hold. */
export async function findUnfitAttributes(
  sql: Sql,
  companyId: string,
  people: Pick<Person, "attributes">[],
): Promise<UnfitAttribute[]> {
  return [
    ...await sql<UnfitAttribute[]>`
      select ord, name, type from outbound.unfit_attributes(${companyId}, ${jsonParameter(sql, people)})`,
  ];
}
