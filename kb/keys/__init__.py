"""Who may use the service: keys with scopes, kept as digests in one file of the data folder.

`ApiKey` is one key as it is known here, `Keyring` all of them at one moment, `KeyStore` the file that every process
reads and changes, `Signer` signs what the service hands out itself: sessions, links, ids of answers.
"""

from kb.keys.key import ApiKey, NewKey, Scope, new_key, scrub
from kb.keys.keyring import Keyring
from kb.keys.signer import Signer
from kb.keys.store import KeyStore

__all__ = ["ApiKey", "KeyStore", "Keyring", "NewKey", "Scope", "Signer", "new_key", "scrub"]
