-- Returns the variables of a text in their order; null when it has none.
create function outbound.variables_of(p_text text)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select string_agg(v.match[1], ',' order by v.ord)
  from regexp_matches(p_text, '\{\{\s*(\w+)\s*\}\}', 'g') with ordinality as v(match, ord)
$$;
revoke execute on function outbound.variables_of from public;

-- Returns a fingerprint of what a message of a template must supply, and of nothing else: the format of a media
-- header, the variables of each text in their order, the buttons that need a value, with their positions and URLs,
-- whether an offer has an end, and the same of each card of a carousel. Wording, footers, labels, static buttons and
-- examples do not count: the platform gives the example of a media header another address each time. Of unknown parts
-- everything except the example counts.
create function outbound.template_shape(p_parameter_format text, p_components jsonb)
returns text
language sql immutable security invoker set search_path = ''
as $$
  select md5(p_parameter_format || coalesce(string_agg(p.type || ' ' || p.needs, E'\n' order by p.type, p.needs), ''))
  from (
    select upper(c.value ->> 'type') as type,
      case upper(c.value ->> 'type')
        when 'HEADER' then coalesce(
          nullif(upper(c.value ->> 'format'), 'TEXT'), outbound.variables_of(c.value ->> 'text'))
        when 'BODY' then outbound.variables_of(c.value ->> 'text')
        when 'FOOTER' then outbound.variables_of(c.value ->> 'text')
        when 'BUTTONS' then (
          select string_agg(b.ord || ' ' || upper(b.value ->> 'type') || ' ' || coalesce(b.value ->> 'url', ''), E'\n'
            order by b.ord)
          from jsonb_array_elements(
            case jsonb_typeof(c.value -> 'buttons') when 'array' then c.value -> 'buttons' else '[]' end
          ) with ordinality as b(value, ord)
          where upper(b.value ->> 'type') not in ('URL', 'QUICK_REPLY', 'PHONE_NUMBER')
            or outbound.variables_of(b.value ->> 'url') is not null
        )
        when 'LIMITED_TIME_OFFER' then c.value #>> '{limited_time_offer,has_expiration}'
        when 'CAROUSEL' then (
          select string_agg(
            k.ord || ' ' || case jsonb_typeof(k.value -> 'components')
              when 'array' then outbound.template_shape(p_parameter_format, k.value -> 'components')
              else '' end, E'\n' order by k.ord)
          from jsonb_array_elements(
            case jsonb_typeof(c.value -> 'cards') when 'array' then c.value -> 'cards' else '[]' end
          ) with ordinality as k(value, ord)
        )
        else (c.value - 'example')::text
      end as needs
    from jsonb_array_elements(p_components) as c
  ) as p
  where p.needs is not null
$$;
revoke execute on function outbound.template_shape from public;
