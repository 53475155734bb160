-- Returns what a GIN index keeps of tags: the hash of each, with the company in it (search_terms).
create function outbound.tag_terms(p_company_id uuid, p_tags text[])
returns int[]
language sql immutable strict parallel safe security invoker set search_path = ''
return array(
  select hashtextextended(p_company_id::text || '#' || tag, 0)::bit(32)::int from unnest(p_tags) as tag
);
revoke execute on function outbound.tag_terms from public;
