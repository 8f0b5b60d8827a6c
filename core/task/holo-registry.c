/* SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "task/holo-registry.h"

#include <string.h>

#include "base/holo-error.h"
#include "base/holo-nearest-names-private.h"
#include "task/holo-task-private.h"

/* Names are interned, so what look-ups return stays valid without the lock. */
struct _HoloRegistry
{
  GObject parent_instance;

  GRWLock lock;
  GHashTable *kinds;        /* kind -> factory type */
  GHashTable *aliases;      /* alias -> kind */
  GHashTable *elements;     /* lower-case kind or alias -> as registered */
  GHashTable *devices;      /* prefix -> HoloDeviceCreateFunc */
  GHashTable *device_kinds; /* that a device's module has, registered or not */
  GHashTable *modules;      /* file names of the modules tried, for holo-module.c */
};

G_DEFINE_FINAL_TYPE (HoloRegistry, holo_registry, G_TYPE_OBJECT)

static void
holo_registry_finalize (GObject *object)
{
  HoloRegistry *registry = HOLO_REGISTRY (object);

  g_hash_table_unref (registry->kinds);
  g_hash_table_unref (registry->aliases);
  g_hash_table_unref (registry->elements);
  g_hash_table_unref (registry->devices);
  g_hash_table_unref (registry->device_kinds);
  g_hash_table_unref (registry->modules);
  g_rw_lock_clear (&registry->lock);
  G_OBJECT_CLASS (holo_registry_parent_class)->finalize (object);
}

static void
holo_registry_class_init (HoloRegistryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = holo_registry_finalize;
}

static void
holo_registry_init (HoloRegistry *registry)
{
  g_rw_lock_init (&registry->lock);
  registry->kinds = g_hash_table_new (g_str_hash, g_str_equal);
  registry->aliases = g_hash_table_new (g_str_hash, g_str_equal);
  registry->elements = g_hash_table_new (g_str_hash, g_str_equal);
  registry->devices = g_hash_table_new (g_str_hash, g_str_equal);
  registry->device_kinds = g_hash_table_new (g_str_hash, g_str_equal);
  registry->modules = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

/**
 * holo_registry_new:
 *
 * Returns: (transfer full): a registry without kinds
 *
 * Since: 0.1
 */
HoloRegistry *
holo_registry_new (void)
{
  return g_object_new (HOLO_TYPE_REGISTRY, NULL);
}

/* ---- kinds ---- */

/* Elements of the plugin that are no kinds: "holo" and one of these is taken. */
static const gchar *const taken_elements[] = { "flowbin", "mux", "demux", "videototensor", "tensortovideo", NULL };

/* A setting becomes an element property beside these, which the base classes of elements have. */
static const gchar *const taken_properties[] = {
  "name",         "parent",        "async-handling", "message-forward",
  "qos",          "blocksize",     "num-buffers",    "typefind",
  "do-timestamp", "automatic-eos", "sync",           "max-lateness",
  "async",        "ts-offset",     "last-sample",    "enable-last-sample",
  "render-delay", "throttle-time", "max-bitrate",    "processing-deadline",
  "stats",        "pairing",       "holo-stats",     NULL,
};

/* The two kinds that are pads, not elements. */
static gboolean
is_without_element (const gchar *element)
{
  return g_str_equal (element, "input") || g_str_equal (element, "output");
}

static gboolean
check_name (const gchar *kind, GError **error)
{
  gboolean valid = kind != NULL && g_ascii_isalpha (*kind);

  for (const gchar *p = kind; valid && *p != '\0'; p++)
    valid = g_ascii_isalnum (*p) || strchr ("+-_", *p) != NULL;
  if (!valid)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_FAILED,
                 "\"%s\" cannot be the name of a kind: it starts with a letter and holds letters, digits, "
                 "'+', '-' and "
                 "'_' only",
                 kind != NULL ? kind : "");
  return valid;
}

/* With the lock held. */
static gboolean
check_free (HoloRegistry *registry, const gchar *kind, const gchar *element, GError **error)
{
  const gchar *other = g_hash_table_lookup (registry->elements, element);

  if (g_strv_contains (taken_elements, element))
    {
      g_set_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS,
                   "no kind can be called \"%s\": its element would be holo%s, which is there already", kind, element);
      return FALSE;
    }
  if (other == NULL)
    return TRUE;
  if (g_str_equal (other, kind))
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS, "the kind \"%s\" is already registered", kind);
  else
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS,
                 "the kind \"%s\" differs from the registered \"%s\" in upper and lower case only", kind, other);
  return FALSE;
}

static gboolean
check_type (const gchar *kind, GType factory_type, GType base, GError **error)
{
  if (factory_type != G_TYPE_INVALID && g_type_is_a (factory_type, base) && !G_TYPE_IS_ABSTRACT (factory_type))
    return TRUE;
  if (factory_type == G_TYPE_INVALID)
    g_set_error (
        error, HOLO_ERROR, HOLO_ERROR_FAILED,
        "the kind \"%s\" has no factory type: GLib refused it, as it does when another module or the program has a "
        "type of that name already",
        kind);
  else
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_FAILED,
                 "the kind \"%s\" needs a factory type that derives from %s, not %s", kind, g_type_name (base),
                 g_type_name (factory_type));
  return FALSE;
}

static gboolean
check_settings (const gchar *kind, const gchar *element, GType factory_type, GError **error)
{
  gpointer klass = g_type_class_ref (factory_type);
  guint n;
  g_autofree GParamSpec **pspecs = holo_settings_list (klass, &n);
  const gchar *taken = NULL;

  for (guint i = 0; i < n && !is_without_element (element); i++)
    if (g_strv_contains (taken_properties, pspecs[i]->name))
      taken = pspecs[i]->name;
  if (taken != NULL)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS,
                 "the kind \"%s\" cannot have a setting \"%s\": every element has a property of that name", kind,
                 taken);
  g_type_class_unref (klass);
  return taken == NULL;
}

/* The class of a kind stays for ever. */
static void
add_device (GType factory_type)
{
  _holo_factory_class_add_device (g_type_class_ref (factory_type));
}

static gboolean
register_kind (HoloRegistry *registry, const gchar *kind, GType factory_type, GType base, GError **error)
{
  g_autofree gchar *element = NULL;
  gboolean ok, has_device;

  g_return_val_if_fail (HOLO_IS_REGISTRY (registry), FALSE);

  if (!check_name (kind, error) || !check_type (kind, factory_type, base, error))
    return FALSE;
  element = g_ascii_strdown (kind, -1);
  if (!check_settings (kind, element, factory_type, error))
    return FALSE;
  g_rw_lock_writer_lock (&registry->lock);
  ok = check_free (registry, kind, element, error);
  if (ok)
    {
      kind = g_intern_string (kind);
      g_hash_table_insert (registry->kinds, (gpointer) kind, GSIZE_TO_POINTER (factory_type));
      g_hash_table_insert (registry->elements, (gpointer) g_intern_string (element), (gpointer) kind);
    }
  has_device = ok && g_hash_table_contains (registry->device_kinds, kind);
  g_rw_lock_writer_unlock (&registry->lock);
  if (has_device)
    add_device (factory_type);
  return ok;
}

/**
 * holo_registry_register_sync:
 * @registry: a registry
 * @kind: name of the kind, "FFT2"
 * @factory_type: a type that derives from #HoloSyncTaskFactory
 * @error: return location
 *
 * Synchronous and asynchronous kinds share one space of names. A kind whose lower-case name equals that of
 * another, or of an element of the plugin, or that has a setting which every element has already, is refused.
 *
 * Returns: %FALSE with %HOLO_ERROR_EXISTS, or with %HOLO_ERROR_FAILED for an impossible name or type
 *
 * Since: 0.1
 */
gboolean
holo_registry_register_sync (HoloRegistry *registry, const gchar *kind, GType factory_type, GError **error)
{
  return register_kind (registry, kind, factory_type, HOLO_TYPE_SYNC_TASK_FACTORY, error);
}

/**
 * holo_registry_register_async:
 * @registry: a registry
 * @kind: name of the kind
 * @factory_type: a type that derives from #HoloAsyncTaskFactory
 * @error: return location
 *
 * As holo_registry_register_sync().
 *
 * Returns: %FALSE with @error set
 *
 * Since: 0.1
 */
gboolean
holo_registry_register_async (HoloRegistry *registry, const gchar *kind, GType factory_type, GError **error)
{
  return register_kind (registry, kind, factory_type, HOLO_TYPE_ASYNC_TASK_FACTORY, error);
}

/**
 * holo_registry_register_alias:
 * @registry: a registry
 * @alias: a second name, "FFTShiftNp"
 * @kind: a registered kind
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_EXISTS or %HOLO_ERROR_UNKNOWN_KIND
 *
 * Since: 0.1
 */
gboolean
holo_registry_register_alias (HoloRegistry *registry, const gchar *alias, const gchar *kind, GError **error)
{
  g_autofree gchar *element = NULL;
  gboolean ok;

  if (!check_name (alias, error) || holo_registry_get_factory_type (registry, kind, error) == G_TYPE_INVALID)
    return FALSE;
  element = g_ascii_strdown (alias, -1);
  g_rw_lock_writer_lock (&registry->lock);
  ok = check_free (registry, alias, element, error);
  if (ok)
    {
      alias = g_intern_string (alias);
      g_hash_table_insert (registry->aliases, (gpointer) alias, (gpointer) g_intern_string (kind));
      g_hash_table_insert (registry->elements, (gpointer) g_intern_string (element), (gpointer) alias);
    }
  g_rw_lock_writer_unlock (&registry->lock);
  return ok;
}

/* G_TYPE_INVALID when unknown. */
static GType
look_up (HoloRegistry *registry, const gchar *kind)
{
  GType type;

  kind = holo_registry_resolve_alias (registry, kind);
  g_rw_lock_reader_lock (&registry->lock);
  type = GPOINTER_TO_SIZE (g_hash_table_lookup (registry->kinds, kind));
  g_rw_lock_reader_unlock (&registry->lock);
  return type;
}

/**
 * holo_registry_is_registered:
 * @registry: a registry
 * @kind: a name
 *
 * Returns: whether @kind is a kind or an alias of one
 *
 * Since: 0.1
 */
gboolean
holo_registry_is_registered (HoloRegistry *registry, const gchar *kind)
{
  return look_up (registry, kind) != G_TYPE_INVALID;
}

/**
 * holo_registry_is_sync:
 * @registry: a registry
 * @kind: a kind or an alias
 *
 * Returns: whether @kind is registered and synchronous. Any thread
 *
 * Since: 0.1
 */
gboolean
holo_registry_is_sync (HoloRegistry *registry, const gchar *kind)
{
  GType type = look_up (registry, kind);

  return type != G_TYPE_INVALID && g_type_is_a (type, HOLO_TYPE_SYNC_TASK_FACTORY);
}

/**
 * holo_registry_is_async:
 * @registry: a registry
 * @kind: a kind or an alias
 *
 * Returns: whether @kind is registered and asynchronous. Any thread
 *
 * Since: 0.1
 */
gboolean
holo_registry_is_async (HoloRegistry *registry, const gchar *kind)
{
  GType type = look_up (registry, kind);

  return type != G_TYPE_INVALID && g_type_is_a (type, HOLO_TYPE_ASYNC_TASK_FACTORY);
}

static GStrv
list_names (HoloRegistry *registry, gboolean with_aliases)
{
  g_autoptr (GList) names = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_rw_lock_reader_lock (&registry->lock);
  names = g_hash_table_get_keys (registry->kinds);
  if (with_aliases)
    names = g_list_concat (names, g_hash_table_get_keys (registry->aliases));
  g_rw_lock_reader_unlock (&registry->lock);
  names = g_list_sort (names, (GCompareFunc) strcmp);
  for (GList *l = names; l != NULL; l = l->next)
    g_strv_builder_add (builder, l->data);
  return g_strv_builder_end (builder);
}

/**
 * holo_registry_list_kinds:
 * @registry: a registry
 *
 * Returns: (transfer full): the kinds in alphabetical order, without aliases
 *
 * Since: 0.1
 */
GStrv
holo_registry_list_kinds (HoloRegistry *registry)
{
  return list_names (registry, FALSE);
}

/**
 * holo_registry_list_names:
 * @registry: a registry
 *
 * Returns: (transfer full): all that a node's "type" may be, kinds and aliases, in alphabetical order
 *
 * Since: 0.1
 */
GStrv
holo_registry_list_names (HoloRegistry *registry)
{
  return list_names (registry, TRUE);
}

/**
 * holo_registry_get_factory_type:
 * @registry: a registry
 * @kind: a kind or an alias
 * @error: return location
 *
 * Returns: the factory type; %G_TYPE_INVALID with %HOLO_ERROR_UNKNOWN_KIND, whose message names the nearest
 *   kinds
 *
 * Since: 0.1
 */
GType
holo_registry_get_factory_type (HoloRegistry *registry, const gchar *kind, GError **error)
{
  GType type = look_up (registry, kind);

  if (type == G_TYPE_INVALID)
    {
      g_auto (GStrv) names = list_names (registry, TRUE);
      g_autofree gchar *suggestion = _holo_did_you_mean (kind, (const gchar *const *) names);

      g_set_error (error, HOLO_ERROR, HOLO_ERROR_UNKNOWN_KIND, "there is no kind \"%s\"%s", kind,
                   *suggestion != '\0' ? suggestion : "; `holoflow list` shows all");
    }
  return type;
}

/**
 * holo_registry_resolve_alias:
 * @registry: a registry
 * @kind: any name
 *
 * Returns: (transfer none): the kind that @kind is an alias of, else @kind itself
 *
 * Since: 0.1
 */
const gchar *
holo_registry_resolve_alias (HoloRegistry *registry, const gchar *kind)
{
  const gchar *target;

  g_rw_lock_reader_lock (&registry->lock);
  target = g_hash_table_lookup (registry->aliases, kind);
  g_rw_lock_reader_unlock (&registry->lock);
  return target != NULL ? target : kind;
}

/**
 * holo_registry_create_factory:
 * @registry: a registry
 * @kind: a kind or an alias
 * @error: return location
 *
 * Returns: (transfer full) (nullable): a factory of its own for one node, with default settings
 *
 * Since: 0.1
 */
HoloTaskFactory *
holo_registry_create_factory (HoloRegistry *registry, const gchar *kind, GError **error)
{
  GType type = holo_registry_get_factory_type (registry, kind, error);
  HoloTaskFactory *factory;

  if (type == G_TYPE_INVALID)
    return NULL;
  factory = g_object_new (type, NULL);
  _holo_task_factory_set_kind (factory, holo_registry_resolve_alias (registry, kind));
  return factory;
}

/* ---- devices ---- */

/**
 * holo_registry_register_device:
 * @registry: a registry
 * @prefix: what the names of the devices start with, "cuda"
 * @create: (scope forever): makes the device of a name such as "cuda:0"; any thread
 * @error: return location
 *
 * Returns: %FALSE with %HOLO_ERROR_EXISTS
 *
 * Since: 0.1
 */
gboolean
holo_registry_register_device (HoloRegistry *registry, const gchar *prefix, HoloDeviceCreateFunc create, GError **error)
{
  gboolean ok;

  g_return_val_if_fail (prefix != NULL && create != NULL, FALSE);

  g_rw_lock_writer_lock (&registry->lock);
  ok = !g_str_equal (prefix, "host") && !g_hash_table_contains (registry->devices, prefix);
  if (ok)
    g_hash_table_insert (registry->devices, (gpointer) g_intern_string (prefix), (gpointer) create);
  g_rw_lock_writer_unlock (&registry->lock);
  if (!ok)
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_EXISTS, "devices called \"%s\" are already registered", prefix);
  return ok;
}

/**
 * holo_registry_add_device_kind:
 * @registry: a registry
 * @kind: a kind, whether it is registered already or later
 *
 * For a module with devices: says that HoloDeviceClass.create_task has @kind. From then on the slots of the kind offer
 * device memory too.
 *
 * Since: 0.1
 */
void
holo_registry_add_device_kind (HoloRegistry *registry, const gchar *kind)
{
  GType type;

  g_return_if_fail (HOLO_IS_REGISTRY (registry) && kind != NULL);

  g_rw_lock_writer_lock (&registry->lock);
  g_hash_table_add (registry->device_kinds, (gpointer) g_intern_string (kind));
  type = GPOINTER_TO_SIZE (g_hash_table_lookup (registry->kinds, kind));
  g_rw_lock_writer_unlock (&registry->lock);
  if (type != G_TYPE_INVALID)
    add_device (type);
}

static void
set_no_device_error (const gchar *name, const gchar *prefix, GError **error)
{
  if (g_str_equal (prefix, "cuda"))
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
                 "there is no CUDA device \"%s\": the CUDA module of Holoflow is not installed, or it could "
                 "not be loaded",
                 name);
  else
    g_set_error (error, HOLO_ERROR, HOLO_ERROR_DEVICE,
                 "there is no device \"%s\": no module has devices called \"%s\"; \"host\" is always there", name,
                 prefix);
}

/**
 * holo_registry_create_device:
 * @registry: a registry
 * @name: "host" or "cuda:0"
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the device; %NULL with %HOLO_ERROR_DEVICE
 *
 * Since: 0.1
 */
HoloDevice *
holo_registry_create_device (HoloRegistry *registry, const gchar *name, GError **error)
{
  g_autofree gchar *prefix = NULL;
  HoloDeviceCreateFunc create;

  g_return_val_if_fail (HOLO_IS_REGISTRY (registry) && name != NULL, NULL);

  if (g_str_equal (name, "host"))
    return g_object_ref (holo_device_get_host ());
  prefix = g_strndup (name, strcspn (name, ":"));
  g_rw_lock_reader_lock (&registry->lock);
  create = (HoloDeviceCreateFunc) g_hash_table_lookup (registry->devices, prefix);
  g_rw_lock_reader_unlock (&registry->lock);
  if (create != NULL)
    return create (name, error);
  set_no_device_error (name, prefix, error);
  return NULL;
}

/* ---- modules ---- */

/* Whether this is the first module file of that name: the folders before win. */
gboolean
_holo_registry_claim_module (HoloRegistry *registry, const gchar *file_name)
{
  gboolean first;

  g_rw_lock_writer_lock (&registry->lock);
  first = g_hash_table_add (registry->modules, g_strdup (file_name));
  g_rw_lock_writer_unlock (&registry->lock);
  return first;
}

/**
 * holo_device_new_by_name:
 * @registry: knows the device modules
 * @name: "host", "cuda:0", or "auto" (the first device there is, else the host)
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the device
 *
 * Since: 0.1
 */
HoloDevice *
holo_device_new_by_name (HoloRegistry *registry, const gchar *name, GError **error)
{
  if (g_str_equal (name, "host"))
    return g_object_ref (holo_device_get_host ());
  if (g_str_equal (name, "auto"))
    {
      HoloDevice *device = holo_registry_create_device (registry, "cuda:0", NULL);

      return device != NULL ? device : g_object_ref (holo_device_get_host ());
    }
  return holo_registry_create_device (registry, name, error);
}
