-- Merges one template of a platform listing into ours; ignored when a newer report came after p_listed_at. The
-- platform gives reasons for rejections only, so our reason stays as long as the state does.
create function outbound.merge_listing(p_ours outbound.templates, p_theirs outbound.templates, p_listed_at timestamptz)
returns table (category text, status text, rejected_reason text, quality text)
language sql immutable security invoker set search_path = ''
as $$
  select case when l.is_newer then p_theirs.category else p_ours.category end,
    case when l.is_newer then p_theirs.status else p_ours.status end,
    case
      when not l.is_newer then p_ours.rejected_reason
      when p_theirs.status = 'approved' then null
      else coalesce(p_theirs.rejected_reason,
        case when p_ours.status = p_theirs.status then p_ours.rejected_reason end)
    end,
    case when l.is_newer then coalesce(p_theirs.quality, p_ours.quality) else p_ours.quality end
  from (select p_ours.reported_at <= p_listed_at as is_newer) as l
$$;
revoke execute on function outbound.merge_listing from public;
